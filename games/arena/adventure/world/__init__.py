"""What an area of an adventure holds: terrain, the player, people, enemies and events."""
