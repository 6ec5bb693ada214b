"""Every script of the gallery runs, returns the number in its head, and leaves the pictures of its page."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from jointplay.gallery import PAPERS, cases

SCRIPTS = {name: case for name, case in cases().items() if case.script}
EACH = pytest.mark.parametrize("name", SCRIPTS)

# value, tolerance, and how the head writes it
NUMBERS = {
    "worn_four_bar": (1.1890, 2e-3, "1.189 mrad"),
    "worn_door": (1.625, 2e-3, "1.625 mm"),
    "scara_arm": (0.1667, 2e-4, "0.1667 mm"),
    "linear_guide": (666.3433, 1e-4, "666.34 N"),
    "press": (22.5, 0.02, "22.5 J"),
    "crank_rocker": (0.1748, 2e-4, "0.1748 mm"),
    "paper_a_sliders": (90.696, 1e-6, "90.696 N"),
    "paper_a_revolute": (0.142784, 1e-6, "0.14278 s"),
    "paper_a_pendulum_steps": (0.579269, 1e-6, "0.5793 J"),
    "paper_b_slider_crank": (2.6925, 1e-4, "2.6925 ms"),
    "paper_c_spherical": (54.724406, 2e-6, "54.7244 rad"),
    "paper_c_revolute": (0.0789, 2e-3, "0.0789 ms"),
    "paper_c_triple_pendulum": (0.10553782, 1e-6, "0.105538 J"),
    "paper_d_slider": (90.696, 1e-6, "90.696 N"),
    "paper_e_rabinowicz": (9.1837, 1e-3, "9.1837 s"),
    "paper_e_numerics": (0.5647, 1e-4, "0.5647"),
    "paper_e_slider_crank": (0.54627, 1e-6, "0.546270 J"),
    "paper_e_sensitivities": (0.6051, 1e-3, "0.6051 m/s"),
    "choose_clearance": (0.2857, 1e-3, "0.2857 mm"),
    "choose_method": (1.94, 0.1, "1.94"),
    "clearance_sweep": (0.841, 5e-3, "0.841 m/s"),
    "choose_fit": (96.65, 0.02, "96.65 %"),
    "press_yield": (80.2, 0.1, "80.2 %"),
    "latch": (0.766, 5e-3, "0.766 in a million"),
    "robust_latch": (15.386, 2e-3, "15.386 N"),
    "recover_friction_and_gap": (0.985, 5e-3, "0.985 mm"),
    "rigid_or_compliant": (12.6485997, 1e-6, "12.648600 rad"),
    "cart_pole": (0.2374, 1e-4, "0.2374 mrad"),
    "swap": (0.05962, 1e-5, "0.05962 m/s"),
}
# longer than 15 s
STUDIES = {
    "choose_clearance",
    "paper_c_revolute",
    "paper_c_spherical",
    "paper_e_sensitivities",
    "rigid_or_compliant",
    "worn_door",
}
# shortened here, by simulated time and by nothing else (s)
SHORTER = {"paper_c_revolute": 1.2}


def numbers(text: str) -> set[int]:
    """Figures that a text names: "figures 9 to 15", "figure 2", "figures 34 and 35"."""
    found: set[int] = set()
    for first, last, other in re.findall(r"figures? (\d+)(?: to (\d+)|(?:,| and) (\d+))?", text):
        found |= set(range(int(first), int(last or first) + 1)) | ({int(other)} if other else set())
    return found


def test_every_script_has_a_number() -> None:
    assert set(NUMBERS) == set(SCRIPTS)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.study if name in STUDIES else pytest.mark.slow) for name in SCRIPTS]
)
def test_script(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    titles: list[str] = []
    told = Figure.suptitle
    monkeypatch.setattr(
        Figure, "suptitle", lambda self, text, **look: (titles.append(text), told(self, text, **look))[1]
    )
    program, case = import_module(f"jointplay.gallery.{name}"), SCRIPTS[name]
    value, tolerance, _ = NUMBERS[name]
    until = {"until": SHORTER[name]} if name in SHORTER else {}
    assert program.main(out=tmp_path, **until) == pytest.approx(value, abs=tolerance)
    pictures = {file.name for file in tmp_path.glob("*.png")}
    page = (Path(__file__).resolve().parents[2] / "docs" / "gallery" / f"{name}.md").read_text(encoding="utf-8")
    assert pictures == set(re.findall(r"\]\((\w+\.png)\)", page))
    assert len(titles) == len(pictures)
    if case.subject in PAPERS:
        assert all(title.startswith(PAPERS[case.subject]) for title in titles)
        assert numbers(" ".join(titles)) == numbers(case.figures)


@EACH
def test_head(name: str) -> None:
    """Each says what it asks, what the answer is, its number, and what its paper leaves open."""
    head = SCRIPTS[name].head
    assert head.title.endswith((".", "?"))
    assert head["Question"].endswith("?")
    assert head["Answer"].endswith(".")
    assert NUMBERS[name][2] in head["Number"]
    if SCRIPTS[name].subject in PAPERS:
        assert head["Figures"] and head["Data"].endswith(".")


@EACH
def test_layout(name: str) -> None:
    """main takes the folder of its pictures and returns a number."""
    main = import_module(f"jointplay.gallery.{name}").main
    signature = inspect.signature(main)
    assert signature.parameters["out"].default == Path("out")
    assert set(signature.parameters) <= {"out", "until"}
    assert signature.return_annotation == "float"
    assert "    assert " in inspect.getsource(main)


def test_all_figures_of_the_papers() -> None:
    """Every figure of the five papers that shows a result is redrawn by a script; schematics are not."""
    shown = {
        "A": {*range(9, 31), *range(32, 38)},
        "B": {10, 11},
        "C": {*range(8, 14), *range(15, 19)},
        "D": {2},
        "E": {3, 4, *range(6, 14)},
    }
    for key, figures in shown.items():
        drawn = [numbers(case.figures) for case in SCRIPTS.values() if case.subject == key]
        assert set().union(*drawn) == figures, key
