"""Fields as curves over time."""
