"""When things game_events: lanes over time, and the playhead."""
