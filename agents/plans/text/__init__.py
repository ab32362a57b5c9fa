"""Text to plan."""
