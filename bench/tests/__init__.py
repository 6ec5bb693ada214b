"""Tests of the benchmark's own truth and bookkeeping; no timing decides anything here."""
