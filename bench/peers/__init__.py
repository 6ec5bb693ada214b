"""Peers that pip installs. Each is optional: an absent one is a sentence in the report, not an error.

Steps for a new peer: a module here with ``PACKAGE`` (what pip installs), ``version()`` and any of ``slider_crank()``
(P1), ``guide()`` (P2, P5), ``journal()`` (P3) and ``chain()`` (P4), which return lists of entries (contracts.py); and
its place in ``MODULES``.
"""

from __future__ import annotations

import importlib
from types import ModuleType

MODULES = ("mujoco_", "exudyn_", "pinocchio_", "loops_")


def load() -> tuple[list[ModuleType], list[str]]:
    """The peers that can be imported, and a sentence for each that cannot."""
    found: list[ModuleType] = []
    absent: list[str] = []
    for name in MODULES:
        try:
            found.append(importlib.import_module(f"{__name__}.{name}"))
        except ImportError as error:
            absent.append(f"{name.rstrip('_')}: left out ({error})")
    return found, absent
