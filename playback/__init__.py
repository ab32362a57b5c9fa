"""Frames out: where the playhead stands, and the game put back to it."""
