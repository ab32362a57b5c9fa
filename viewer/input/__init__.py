"""Which key does what, and how keyboard and gamepads become the pad of a game."""
