"""The agent's states, one a file."""
