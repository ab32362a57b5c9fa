"""The playthrough agent: plays a game as a demo shows it, by its observations."""
