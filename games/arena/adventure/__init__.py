"""The arena's adventure engine: levels with height, a story, people, enemies and screens."""
