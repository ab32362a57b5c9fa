"""The arena's adventures: levels with height, a story, people, enemies and menus."""
