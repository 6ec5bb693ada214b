"""The page about a method with derivatives: its complete code is a module that works, and its trial passes."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "contribute" / "method-with-derivatives.md"
FENCE = re.compile(r"^```python(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def namespace(tmp_path: Path) -> dict[str, Any]:
    """All public names of the files that a page shows."""
    found: dict[str, Any] = {}
    for title, text in FENCE.findall(PAGE.read_text(encoding="utf-8")):
        if title:
            file = tmp_path / Path(title).name
            file.write_text(text, encoding="utf-8")
            spec = importlib.util.spec_from_file_location(f"page_{file.stem}", file)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module  # dataclasses look there
            spec.loader.exec_module(module)
            found |= vars(module)
    return found


@pytest.mark.slow
def test_a_method_with_derivatives(namespace: dict[str, Any]) -> None:
    trials = [text for title, text in FENCE.findall(PAGE.read_text(encoding="utf-8")) if not title]
    assert "Heun" in namespace and trials
    for text in trials:
        exec(compile(text, PAGE.name, "exec"), namespace)
