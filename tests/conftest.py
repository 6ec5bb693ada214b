"""Told at the head of a test run: whether the reference data from outside are there (see refs.py)."""

from __future__ import annotations

from refs import REFS


def pytest_report_header() -> str:
    return f"reference data: {'found' if REFS.is_dir() else 'not found, tests that need them are skipped'}"
