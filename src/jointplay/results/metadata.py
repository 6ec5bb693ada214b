"""What the metadata of a result hold, each entry with its form; a file with other forms is damaged, or made by hand.

Summaries, reports and animations take entries as they are described here. What is not listed is nobody's concern.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

Form = Callable[[Any], bool]


def text(value: Any) -> bool:
    """A text."""
    return isinstance(value, str)


def number(value: Any) -> bool:
    """A finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e308 and isfinite(value)


def whole(value: Any) -> bool:
    """A count."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def many(form: Form) -> Form:
    """A list of things of one form."""
    return lambda value: isinstance(value, list) and all(map(form, value))


def named(form: Form) -> Form:
    """Things of one form by name."""
    return lambda value: isinstance(value, dict) and all(map(form, value.values()))


def line(*forms: Form) -> Form:
    """A list with a thing of each form."""
    return lambda value: (
        isinstance(value, list)
        and len(value) == len(forms)
        and all(form(one) for form, one in zip(forms, value, strict=True))
    )


FORMS: dict[str, Form] = {
    "name": text,
    "model": text,
    "sketch": text,
    "method": text,
    "multipliers": text,
    "until": number,
    "notes": many(text),
    "versions": named(text),
    "meshes": named(text),
    "ends": text,
    "spent": many(text),
    "told": named(number),
    "record": named(text),
    "events": many(line(number, text)),
    "inputs": many(line(number, text, number)),
    "study": text,
    "sample": whole,
}


def checked(meta: Any) -> dict[str, Any]:
    """Metadata whose entries have their forms, or ValueError."""
    if not isinstance(meta, dict):
        raise ValueError("its meta is not what it should be")
    for key, form in FORMS.items():
        if key in meta and not form(meta[key]):
            raise ValueError(f"its {key} is not what it should be")
    return meta
