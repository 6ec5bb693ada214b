"""Units with prefixes, sizes for print, files with their fonts, colours that all eyes tell apart."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib.text import Text

import jointplay as jp
from jointplay.figures.prefixes import pretty, readable, scale_of
from jointplay.figures.style import COLOURS, forgive_formulas, literal, new_figure, width_of


@pytest.mark.parametrize(
    ("unit", "largest", "factor", "shown"),
    [
        ("m", 0.46, 1.0, " [m]"),
        ("m", 0.05, 1e-3, " [mm]"),
        ("m", 2e-4, 1e-6, " [µm]"),
        ("N", 9_999.0, 1.0, " [N]"),
        ("N", 12_000.0, 1e3, " [kN]"),
        ("N m", 2e6, 1e6, " [MN·m]"),
        ("m/s", 0.02, 1e-3, " [mm/s]"),
        ("m/s2", 5e4, 1.0, " [m/s²]"),  # nobody says km/s2
        ("rad", 2e-3, 1e-3, " [mrad]"),
        ("rad", 5e4, 1.0, " [rad]"),
        ("s", 0.1376, 1e-3, " [ms]"),
        ("s", 0.5, 1.0, " [s]"),
        ("J", 0.0, 1.0, " [J]"),
        ("1", 1e-5, 1.0, ""),
        ("m or rad", 1e-5, 1.0, " [m or rad]"),
        ("kg m2", 1e-5, 1.0, " [kg·m²]"),
    ],
)
def test_prefixes(unit: str, largest: float, factor: float, shown: str) -> None:
    scale = scale_of(unit, largest)
    assert scale.factor == pytest.approx(factor, rel=1e-15)
    assert scale.bracket == shown


def test_values_in_words() -> None:
    assert readable(1e-4, "m") == "100 µm"
    assert pretty("m/s2") == "m/s²"


def test_sizes_for_print(swing: jp.Solution) -> None:
    assert width_of("column") == pytest.approx(89 / 25.4)
    assert width_of("89 mm") == width_of("column") == width_of(0.089)
    figure = swing.plot("T.displacement", width="89 mm", height="60 mm")
    assert figure.get_size_inches() == pytest.approx([89 / 25.4, 60 / 25.4])
    sizes = {
        text.get_fontsize() for ax in figure.axes for text in (ax.xaxis.label, ax.yaxis.label, *ax.get_xticklabels())
    }
    assert sizes == {7.0}
    assert {text.get_fontsize() for text in swing.plot("T.displacement").axes[0].get_xticklabels()} == {10.0}
    for wrong in ("3 kg", "wide", 17.0, "1 mm"):
        with pytest.raises(jp.InputError, match="width"):
            swing.plot("T.displacement", width=wrong)


def test_dots_per_inch(swing: jp.Solution, tmp_path: Path) -> None:
    from matplotlib.image import imread

    swing.plot("T.displacement", width="100 mm", height="50 mm", dpi=254, path=tmp_path / "a.png")
    assert imread(tmp_path / "a.png").shape[:2] == (500, 1000)
    with pytest.raises(jp.InputError, match="dpi"):
        swing.plot("T.displacement", dpi=5, path=tmp_path / "b.png")
    assert not (tmp_path / "b.png").exists()


@pytest.mark.slow
def test_fonts_are_inside_and_bytes_repeat(swing: jp.Solution, tmp_path: Path) -> None:
    data = []
    for name in ("a", "b"):
        for ending in ("pdf", "svg", "png"):
            swing.plot("T.displacement", path=tmp_path / f"{name}.{ending}")
        data.append([(tmp_path / f"{name}.{ending}").read_bytes() for ending in ("pdf", "svg", "png")])
    assert data[0] == data[1]
    pdf, svg, _ = data[0]
    assert b"/FontFile2" in pdf and b"/Type3" not in pdf  # TrueType
    assert b"<text" not in svg  # outlines: no font is needed


def test_figures_for_pages(swing: jp.Solution) -> None:
    figure = swing.plot("T.displacement")
    assert jp.figures.png(figure).startswith(b"\x89PNG")
    text = jp.figures.svg(figure)
    assert text.startswith("<svg") and text.rstrip().endswith("</svg>")
    assert figure._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]


# --- colours ----------------------------------------------------------------------------------------------------------

# Viénot, Brettel and Mollon 1999: cones of an eye without M or L cones, in linear RGB
LMS = np.array([[17.8824, 43.5161, 4.11935], [3.45565, 27.1554, 3.86714], [0.0299566, 0.184309, 1.46709]])
DEUTERANOPE = np.array([[1, 0, 0], [0.494207, 0, 1.24827], [0, 0, 1]])
PROTANOPE = np.array([[0, 2.02344, -2.52581], [0, 1, 0], [0, 0, 1]])


def linear(colour: str) -> np.ndarray:
    value = np.array([int(part, 16) / 255 for part in re.findall("..", colour[1:])])
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE 1976 L*a*b*, D65: a distance of about 2.3 is just seen."""
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ np.clip(rgb, 0, 1)
    t = xyz / np.array([0.9505, 1.0, 1.089])
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eye", [np.eye(3), DEUTERANOPE, PROTANOPE], ids=["all cones", "deuteranope", "protanope"])
def test_all_eyes_tell_the_colours_apart(eye: np.ndarray) -> None:
    seen = {one: lab(np.linalg.inv(LMS) @ eye @ LMS @ linear(one)) for one in COLOURS}
    distances = {pair: float(np.linalg.norm(seen[pair[0]] - seen[pair[1]])) for pair in combinations(COLOURS, 2)}
    assert min(distances.values()) > 11.0, min(distances, key=distances.__getitem__)
    white = lab(np.ones(3))
    assert all(np.linalg.norm(one - white) > 25.0 for one in seen.values())


@pytest.mark.parametrize("text", ["costs $5 and $6", "$\\frac$", "a $ b", "\\$x\\$", "$x^2$", "\\alpha"])
def test_texts_of_a_model_are_no_formulas(text: str) -> None:
    """They are drawn as they stand."""
    drawn = Text(0, 0, literal(text))
    assert drawn._preprocess_math(drawn.get_text()) == (text, False)


def test_broken_formulas_are_drawn_as_they_stand() -> None:
    """Titles and labels of the caller may be formulas, and may fail to be."""
    figure = new_figure(3.0, 2.0)
    good, bad = figure.text(0, 0, "$x^2$"), figure.text(0, 0, "$\\frac$")
    forgive_formulas(figure)
    figure.draw_without_rendering()
    assert good.get_parse_math()
    assert not bad.get_parse_math()
