"""The shooting hall: rounds, targets, rewards and sight of the multi-agent environment."""
