"""Explicit plans: where to go and what to do there, with every action validated."""
