"""How each node of a behaviour tree stood at the playhead."""
