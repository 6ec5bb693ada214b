"""Numbers with units, expressions, and functions of time: what a user writes, turned into SI."""
