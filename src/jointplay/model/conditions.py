"""Conditions that a run looks for, as they are written: "slider.position[0] > 0.3", a list of them, or by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..quantities.signal import Free, Signal
from .entry import Entry, Path


def read_condition(text: Any, path: Path, entry: Entry) -> Signal | None:
    """The function that becomes positive where a condition becomes true; None after a problem.

    A condition that names an entry which is wrong itself is not judged: what is wrong there comes first.
    """
    scene = entry.scene
    try:
        return Signal.condition(text, scene.values, Free(scene.sensed, scene.inputs))
    except (ValueError, TypeError, OverflowError, ZeroDivisionError) as error:
        if any(name in str(text) for name in scene.unread):
            entry.failed = True
        else:
            entry.fail(path, str(error))
        return None


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
