"""What the pictures of all scripts have in common."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from ..writing import write_whole

OUT = Path("out")
BLUE, RED, GREEN, ORANGE, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "0.45"


def panels(rows: int, columns: int, size: tuple[float, float], **options: Any) -> tuple[Figure, Any]:
    """A figure with its axes (an array, row by row), without needless frames."""
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    for ax in axes.flat:
        ax.grid(True, color="0.9", linewidth=0.6)
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)
    return figure, axes


def keep(figure: Figure, out: Path, name: str, title: str) -> Path:
    """Give a picture its title, write it into the folder ``out`` and print where."""
    figure.suptitle(title, fontsize="large")
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"{name}.png"
    stream = BytesIO()
    figure.savefig(stream, dpi=130)
    write_whole(file, stream.getvalue())
    print(f"drew {file}")
    return file
