"""When things happened: lanes over time, and the playhead."""
