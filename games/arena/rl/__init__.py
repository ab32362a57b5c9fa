"""The arena for libraries of reinforcement learning: scaled observations, discrete actions."""
