"""Where is everything at the playhead? The scene, and the mouse over it."""
