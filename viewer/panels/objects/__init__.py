"""Which objects are there at the playhead."""
