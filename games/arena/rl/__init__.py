"""The arena for libraries of reinforcement learning: scaled observations, choices as actions."""
