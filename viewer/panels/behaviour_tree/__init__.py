"""The status of each node of a behaviour tree at the playhead."""
