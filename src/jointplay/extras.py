"""Packages that only some uses need: imported when they are used, or a sentence on how to install them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .errors import InputError, Problem


def needed(module: str, use: str, extra: str, field: str = "", file: str = "") -> Any:
    """A module of a package that the extra brings; ``use`` begins the sentence if it is not there."""
    try:
        return import_module(module)
    except ImportError:
        message = f"{use} needs the package {module.split('.')[0]}: pip install 'jointplay[{extra}]'"
        raise InputError(Problem(field, message, file)) from None
