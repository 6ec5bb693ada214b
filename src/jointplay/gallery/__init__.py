"""The gallery: models and scripts that ship with the package. Each has a question and ends with a number.

A case is a model ``NAME.yaml``, a script ``NAME.py``, or both. Its head describes it once (head.py); the list on
the command line and the pages of the documentation are made from that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from .head import Head, read_head

FOLDER = Path(__file__).resolve().parent
HELPERS = ("__init__", "head", "drawing")

# by the word after "Subject:" in a head, in the order of the list
SUBJECTS = {
    "stories": "Stories from practice",
    "A": "Chaturvedi, Sandu and Sandu 2024: play in space, steps by optimisation",
    "B": "Flores, Leine and Glocker 2010: a slider with play, impacts and friction",
    "C": "Ambrósio and Pombo 2018: compliant play, bushings and stops",
    "D": "Chaturvedi, Sandu and Sandu 2023: a slider with play in the plane",
    "E": "Verulkar, Dopico, Sandu and Sandu 2022: friction of joints and derivatives",
    "choices": "Which law, which method, which numbers",
    "contact": "Impacts, stops and friction",
    "ideal": "Ideal joints",
}
PAPERS = {key: SUBJECTS[key].partition(":")[0] for key in "ABCDE"}


@dataclass(frozen=True)
class Case:
    """One entry of the gallery; the head is that of the script where there are both."""

    name: str
    model: Path | None
    script: Path | None
    head: Head

    @property
    def files(self) -> list[Path]:
        """Model, script and robot file, those that there are."""
        robot = FOLDER / f"{self.name}.urdf"  # that the script reads
        return [file for file in (self.model, self.script, robot if robot.is_file() else None) if file]

    @property
    def subject(self) -> str:
        """Key of its subject."""
        return self.head["Subject"]

    @property
    def figures(self) -> str:
        """Which figures of its paper it redraws, or nothing."""
        numbers = self.head["Figures"]
        return f"figure{'' if numbers.isdigit() else 's'} {numbers}" if numbers else ""

    @property
    def first_figure(self) -> int:
        """Number of the first figure that it redraws, or 0."""
        found = re.match(r"\d+", self.head["Figures"])
        return int(found[0]) if found else 0

    @property
    def source(self) -> str:
        """Authors and year of the paper that it repeats, and the figures, or nothing."""
        return ", ".join(filter(None, (PAPERS.get(self.subject), self.figures)))


def entries() -> dict[str, Path]:
    """All models by name."""
    return {file.stem: file for file in sorted(FOLDER.glob("*.yaml"))}


def scripts() -> dict[str, Path]:
    """All scripts by name."""
    return {file.stem: file for file in sorted(FOLDER.glob("*.py")) if file.stem not in HELPERS}


def cases() -> dict[str, Case]:
    """All of the gallery by name: subject by subject, scripts before models."""
    models, programs = entries(), scripts()
    found = []
    for name in models.keys() | programs.keys():
        model, script = models.get(name), programs.get(name)
        found.append(Case(name, model, script, read_head(script or models[name])))
    order = list(SUBJECTS)
    found.sort(key=lambda case: (order.index(case.subject), case.script is None, case.first_figure, case.name))
    return {case.name: case for case in found}
