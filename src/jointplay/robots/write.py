"""``jp.write``: a System becomes a robot file, and a report lists what the format cannot hold."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

from ..errors import InputError, Problem
from ..model.system import System
from ..writing import write_whole
from . import mjcf_writer, urdf_writer
from .from_system import Walk, items
from .ledger import Ledger
from .report import ExportReport, RobotFileError
from .robot import Robot
from .xmltree import Node
from .xmlwriter import xml_text


@dataclass(frozen=True)
class Format:
    """A format that can be written."""

    name: str
    kinds: set[str]  # of joints in its tree
    make: Callable[[Robot, Ledger], tuple[Node, dict[Node, Node]]]


URDF = Format("URDF", urdf_writer.KINDS, urdf_writer.urdf)
MJCF = Format("MJCF", mjcf_writer.KINDS, mjcf_writer.mjcf)
ENDINGS = {".urdf": URDF, ".xml": MJCF, ".mjcf": MJCF}


def write(system: System, path: str | PathLike[str], *, allow: Collection[str] | str = ()) -> ExportReport:
    """Write a System as a robot file: URDF if the name ends in .urdf, MJCF if it ends in .xml or .mjcf.

    Args:
        system: what to write; the pose as drawn is the zero of all coordinates.
        path: the file.
        allow: names of what may be left out: a law ("clearance"), a thing ("spring", "load", "loop") or the name of an
            element; "all" for everything.

    Returns:
        The report with one row per element of the System; ``line`` is that in the file.

    Raises:
        InputError: with all that the format cannot hold and is not allowed to be left out; nothing is written then.
    """
    format = ENDINGS.get(Path(path).suffix.lower())
    if format is None:
        raise InputError(Problem("path", f"must end in one of {', '.join(ENDINGS)}", fspath(path)))
    root, named = items(system)
    ledger = Ledger(root, fspath(path), format.name, allow)
    robot = Walk(system, named, ledger, format.kinds).read()
    made, became = format.make(robot, ledger)
    text = xml_text(made)
    report = ledger.close(ExportReport, {node: new.line for node, new in became.items()})
    if ledger.problems:
        raise RobotFileError(ledger.problems, report)
    write_whole(path, text, "path")
    return report
