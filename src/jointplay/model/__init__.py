"""What the user says: a System by Python calls or from a file, checked, in SI."""
