"""Which demos are replayed, and what came of each."""
