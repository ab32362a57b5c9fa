"""Statements of games, agents and tools, and how each gets into its frame."""
