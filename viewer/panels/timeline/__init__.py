"""What happened when: lanes over time, and the playhead."""
