"""How a game is run under a session: its loop, its window, and who plays it."""
