"""Where everything is at the playhead: the scene, and a mouse over it."""
