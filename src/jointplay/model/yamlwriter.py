"""Plain data as YAML that people like to read and ``yamltree`` reads back the same, bit by bit.

A mapping or list goes on one line where it fits, else one line per key or item. Texts stand bare where no reader could
mistake them, else in double quotes as in JSON.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .yamltree import scalar

WIDTH = 100  # of what stands behind the indent
BARE = re.compile(r"[A-Za-z0-9_(][A-Za-z0-9_ .+*/^()-]*\Z")


def yaml_text(data: Mapping[str, Any]) -> str:
    """``data`` as a YAML document; the first level is always one key per line."""
    return "\n".join(_lines(data)) + "\n" if data else "{}\n"


def _lines(data: Any) -> Iterator[str]:
    """The lines of a mapping or list in block style."""
    pairs = [(f"{_text(key)}:", value) for key, value in data.items()] if isinstance(data, Mapping) else None
    for head, value in pairs if pairs is not None else [("-", value) for value in data]:
        # Sections stay open even where they would fit on a line: that is where people look and add.
        section = (
            pairs is not None and isinstance(value, Mapping) and any(isinstance(v, Mapping) for v in value.values())
        )
        line = _flow(value)
        if not isinstance(value, (Mapping, list)) or not value or (len(head) + len(line) < WIDTH and not section):
            yield f"{head} {line}"
        else:
            yield head
            yield from (f"  {line}" for line in _lines(value))


def _flow(value: Any) -> str:
    """``value`` on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_text(key)}: {_flow(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(one) for one in value) + "]"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    return _text(value) if isinstance(value, str) else repr(value)


def _text(text: str) -> str:
    """A text, bare or quoted."""
    if BARE.match(text) and text == text.strip() and scalar(text) == text:
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())
