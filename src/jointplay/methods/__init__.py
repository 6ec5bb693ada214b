"""Methods: how a state is advanced in time."""
