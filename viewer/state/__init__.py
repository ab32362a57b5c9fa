"""The state of a window: the playhead, what was read, and a person's settings."""
