"""Colours of contact, the same in all figures: open, closed, impact."""

from __future__ import annotations

from .style import BLUE, GREEN, PALE, RED

OPEN, CLOSED, IMPACT, START, WALL = BLUE, RED, "0.1", GREEN, "0.3"
NONE_COLOUR = PALE
