"""How the selected object moves, and how it wants to."""
