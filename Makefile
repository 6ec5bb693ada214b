# make demo        see it work
# make check       what matters most, in two minutes on two cores with compiled kernels: before every commit
# make test        everything but long studies, in twelve minutes: before every merge, and in continuous integration
# make test-all    the studies too
# make test-generic  the numbers again as another processor rounds them
# Each makes .venv itself.
PYTHON ?= python3
BIN := .venv/bin
MAKEFLAGS += --jobs=2
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

.PHONY: demo check test test-all test-generic lint types layers docs warm lowered bench clean

.venv/.installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("jointplay needs Python 3.11 or newer, found " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	@echo "installing jointplay and what it needs into .venv"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[build,xarray,pandas]'
	touch $@

.venv/.complete: .venv/.installed
	@echo "installing what tests and documentation need"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,docs]'
	touch $@

demo: .venv/.installed
	mkdir -p out
	$(BIN)/jointplay warmup --engine-only
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

warm: .venv/.complete
	$(BIN)/jointplay warmup

# LLVM code of all kernels, kept with the sources so that a fresh clone lowers nothing: write it after kernels changed.
lowered: .venv/.complete
	JOINTPLAY_FROM_SOURCES=1 $(BIN)/python -m jointplay.warmup --keep

# Algorithms, derivatives, closed forms, orders, the commands: a wrong number shows here first.
CORE := $(addprefix tests/,numerics quantities relations laws gradients model compile methods order physics simulation sensitivity \
        cli/test_commands.py)

check: lint types layers warm
	$(PYTEST) -m "not slow and not study" $(CORE)

test: lint types layers docs warm
	$(PYTEST) -m "not study"

test-all: lint types layers docs warm
	$(PYTEST)

# A processor without fused multiply-add and without wide vectors rounds otherwise. Bounds of tests must hold there too.
GENERIC := JOINTPLAY_CPU=x86-64
NUMBERS := $(addprefix tests/,numerics laws order physics papers properties sensitivity methods external examples/test_gallery.py)

test-generic: .venv/.complete
	$(GENERIC) $(BIN)/jointplay warmup
	$(GENERIC) $(PYTEST) -m "not study" $(NUMBERS)

bench: .venv/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m bench

clean:
	rm -rf .venv out site build dist .pytest_cache .mypy_cache .ruff_cache src/jointplay/__pycache__/kernels src/jointplay/native/lib
