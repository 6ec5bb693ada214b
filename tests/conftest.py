"""Shared by all tests: runs are deterministic and quiet, and data that are not there skip a test (refs.py)."""
