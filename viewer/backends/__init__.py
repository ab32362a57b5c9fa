"""What is scrubbed in a window: a file or a running game, and what is saved of it."""
