r"""Capability of a process: Cp, the width of a tolerance in units of 6 sigma, and Cpk, the same on the nearer side."""

from __future__ import annotations

from typing import Any

from ..errors import InputError, Problem
from .distributions import NATURAL


def check_capability(field: str, cp: Any, cpk: Any, towards: str, sides: tuple[str, str] = ("greater", "less")) -> None:
    """InputError unless cp and cpk are those of a process."""
    problems = []
    if isinstance(cp, bool) or not isinstance(cp, int | float) or not 0.0 < cp < 100.0:
        problems.append(Problem(f"{field}: cp", f"needs a number above zero, not {cp!r}"))
    elif cpk is not None and (isinstance(cpk, bool) or not isinstance(cpk, int | float) or not cpk <= cp):
        problems.append(Problem(f"{field}: cpk", f"cannot be more than cp, which is {cp:g}, got {cpk!r}"))
    if towards not in sides:
        problems.append(Problem(f"{field}: towards", f"needs '{sides[0]}' or '{sides[1]}', not {towards!r}"))
    if problems:
        raise InputError(problems)


def shift_of(sigma: float, cp: float, cpk: float | None, towards: str) -> float:
    """How far the mean lies off the middle: 3 sigma (Cp - Cpk)."""
    size = 0.0 if cpk is None else NATURAL * sigma * (cp - cpk)
    return -size if towards in ("less", "tight") else size


def capability_tree(cp: float, cpk: float | None, inspected: bool, towards: str, usual: str) -> dict[str, Any]:
    """Options that are not the usual ones."""
    out: dict[str, Any] = {"cp": float(cp)} if cp != 1.0 else {}
    out |= {"cpk": float(cpk)} if cpk is not None else {}
    out |= {"inspected": True} if inspected else {}
    return out | ({"towards": towards} if towards != usual and cpk is not None else {})


def capability_words(cp: float, cpk: float | None, inspected: bool) -> str:
    """The same for people."""
    parts = [f"Cp {cp:g}"] if cp != 1.0 else []
    parts += [f"Cpk {cpk:g}"] if cpk is not None else []
    return "".join(f", {one}" for one in [*parts, *(["inspected"] if inspected else [])])
