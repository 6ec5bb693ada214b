"""Algorithms that know no mechanics."""
