"""The viewer's window: what opens in it, and what its actions do."""
