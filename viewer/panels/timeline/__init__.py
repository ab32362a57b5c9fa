"""The timeline: what happened when, as lanes over time, and the playhead."""
