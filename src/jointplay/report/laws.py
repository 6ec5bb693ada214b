"""Laws in words: every field that has an effect, with its unit, from the facts that laws declare about themselves."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..laws.base import Law
from ..model.lawtree import FORCE_UNIT, law_fields, law_unit, parts
from ..quantities.signal import Signal, Table
from .markup import Markup, inner, tag
from .numbers import number, pretty, quantity

WORDS = {
    "mu": "µ",
    "mu_s": "µ<sub>s</sub>",
    "mu_d": "µ<sub>d</sub>",
    "v_t": "v<sub>t</sub>",
    "v_s": "v<sub>s</sub>",
    "v_0": "v<sub>0</sub>",
    "sigma_0": "σ<sub>0</sub>",
    "sigma_1": "σ<sub>1</sub>",
    "sigma_2": "σ<sub>2</sub>",
    "tau_dw": "τ<sub>dw</sub>",
}
MOST_POINTS = 4  # of a list that is written out


def law_words(law: Law, coordinate: str) -> Markup:
    """A law with its parameters, for a coordinate in m or rad."""
    given = law_fields(law)
    pieces = []
    for part in parts(law):
        value = getattr(law, part.name)
        required = part.name in given or "law" in part.metadata  # what a clearance has for a contact is always shown
        if value is None or not required or "named" in part.metadata:  # its numbers stand in its expression
            continue
        word = "" if part.name == "value" else WORDS.get(part.name, part.name.replace("_", " "))
        pieces.append(f"{word} {_value(value, part.metadata, law, coordinate)}".strip())
    name = tag("b", law.key.replace("_", " "))
    return Markup(f"{name} {', '.join(pieces)}".strip())


def signal_words(signal: Any, unit: str) -> Markup:
    """A function of time."""
    if not isinstance(signal, Signal):
        signal = Signal.of(signal, unit)
    if signal.is_constant:
        return quantity(signal.constant, unit)
    if isinstance(signal.source, Table):
        return Markup(f"a table up to {quantity(signal.end, 's')}")
    try:
        text = str(signal.to_tree())
    except ValueError:
        return Markup("a Python function of time")
    short = re.sub(r"\d+\.\d{7,}(?:e-?\d+)?", lambda found: f"{float(found[0]):.7g}", text)
    return Markup(f"{tag('code', short)} {inner(pretty(unit))}".strip())


def _value(value: Any, facts: Any, law: Law, coordinate: str) -> str:
    if isinstance(value, Law):
        return f"({law_words(value, coordinate)})"
    if "states" in facts:
        return ", ".join(_state(name, one) for name, one in value.items())
    if "signal" in facts:
        return signal_words(value, law_unit(facts["signal"], coordinate))
    if "unit" in facts and isinstance(value, (int, float)):
        unit = facts["unit"].format(exponent=f"{getattr(law, 'exponent', 1.0):g}")
        return quantity(value, law_unit(unit, coordinate))
    if "pairs" in facts:
        last = quantity(float(value[-1][0]), law_unit(facts["pairs"][0], coordinate))
        return f"by {len(value)} points up to {last}"
    if "series" in facts and not isinstance(value, str):
        shown = [law_unit(facts["series"].format(k=k + 1), coordinate) for k in range(len(value))]
        return ", ".join(quantity(one, unit) for one, unit in zip(value, shown, strict=True))
    if isinstance(value, (int, float)):
        return number(float(value), 6)
    if "material" in facts:
        return _material(value)
    if np.ndim(value) == 2:
        return f"a matrix of {len(value)} × {len(value)} ({FORCE_UNIT['m']}, m, rad)"
    return inner(value)


def _state(name: str, given: Any) -> str:
    """A state of a force law: its rate."""
    unit = f"({given.unit})/s" if given.unit else "1/s"
    return f"{tag('i', name)}' = {signal_words(given.rate, unit)}"


def _material(value: Any) -> str:
    """Moduli of the two surfaces."""
    try:
        return " on ".join(f"E {1e-9 * float(one.E):.4g} GPa, ν {float(one.nu):.3g}" for one in value)
    except (AttributeError, TypeError):
        return inner(value)
