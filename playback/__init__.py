"""Frames out: the playhead's position, and the game restored to it."""
