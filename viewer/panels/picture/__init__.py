"""The picture that the game's own screen showed at the playhead."""
