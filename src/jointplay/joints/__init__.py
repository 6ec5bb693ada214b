"""Joint kinds: facts over shared relations."""
