"""Statistics of a range of time."""
