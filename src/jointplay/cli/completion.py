"""What the Tab key offers; it must be cheap, so nothing that compiles is imported here."""

from __future__ import annotations

from ..gallery import cases

METHODS = ("explicit", "implicit", "index1", "moreau", "optimal_step", "verlet")  # keys of methods/registry.py


def example_names(incomplete: str) -> list[str]:
    """Examples whose name begins so."""
    return [name for name in cases() if name.startswith(incomplete)]


def method_names(incomplete: str) -> list[str]:
    """Methods whose name begins so."""
    return [name for name in METHODS if name.startswith(incomplete)]
