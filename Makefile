# Two commands: make demo (see it work) and make test (everything that must hold). Each makes .venv itself.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint types layers docs bench clean

.venv/.installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("jointplay needs Python 3.11 or newer, found " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	@echo "installing jointplay and what it needs into .venv"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv/.complete: .venv/.installed
	@echo "installing what tests and documentation need"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,docs]'
	touch $@

demo: .venv/.installed
	mkdir -p out
	$(BIN)/jointplay warmup --method moreau
	$(BIN)/jointplay examples run slider_crank_clearance --output out/slider_crank_clearance.nc
	$(BIN)/jointplay plot out/slider_crank_clearance.nc --kind gaps --joint D -o out/gaps.png
	$(BIN)/jointplay view out/slider_crank_clearance.nc -o out/slider_crank_clearance.html
	$(BIN)/jointplay report out/slider_crank_clearance.nc -o out/report.html
	@echo
	@echo "open in a browser:  out/slider_crank_clearance.html  (the animation)"
	@echo "                    out/report.html                  (everything about the run)"
	@echo "result and picture: out/slider_crank_clearance.nc  out/gaps.png"

lint: .venv/.complete
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.complete
	$(BIN)/mypy

layers: .venv/.complete
	$(BIN)/lint-imports --no-cache

docs: .venv/.complete
	$(BIN)/mkdocs build --strict --quiet

test: lint types layers docs
	$(BIN)/jointplay warmup
	$(BIN)/python -m pytest -n auto --dist loadfile

bench: .venv/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m bench

clean:
	rm -rf .venv out site build dist .pytest_cache .mypy_cache .ruff_cache src/jointplay/__pycache__/kernels
