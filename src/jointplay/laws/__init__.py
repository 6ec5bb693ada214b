"""Laws: what ties a coordinate to its force."""
