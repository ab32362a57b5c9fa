"""Which animation clips make up a pose, and by how much."""
