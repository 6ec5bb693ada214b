"""Algorithms that know no mechanics. The contact solvers are public names, loaded on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .contact import ContactSolution, LcpSolution, read_problem, solve_contact, solve_lcp, write_problem

__all__ = ["ContactSolution", "LcpSolution", "read_problem", "solve_contact", "solve_lcp", "write_problem"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from . import contact

        return getattr(contact, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
