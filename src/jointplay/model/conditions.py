"""Conditions that a run looks for, as they are written: "slider.position[0] > 0.3", a list of them, or by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def is_condition(given: Any) -> bool:
    """True for a text that compares two things; a time does not."""
    return isinstance(given, str) and ("<" in given or ">" in given)


def by_name(given: Any) -> dict[str, Any] | None:
    """Conditions by name, which is their text where none is given; None for what are none."""
    if given is None:
        return {}
    if isinstance(given, str):
        return {given.strip(): given}
    if isinstance(given, Mapping):
        return {str(name): text for name, text in given.items()}
    if isinstance(given, list | tuple):
        return {str(text).strip(): text for text in given}
    return None
