"""What is said at the head of a test run, and which files begin."""

from __future__ import annotations

import pytest
from refs import REFS

LONGEST = ("test_contribute.py", "test_optimal_step.py", "test_film.py", "test_indices.py", "test_readme.py")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take long begin: at the end one process would work on them while others wait."""
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))


def pytest_report_header() -> str:
    """Whether the reference data from outside are there (see refs.py)."""
    return f"reference data: {'found' if REFS.is_dir() else 'not found, tests that need them are skipped'}"
