"""The user's description: a System by Python calls or from a file, checked, in SI."""
