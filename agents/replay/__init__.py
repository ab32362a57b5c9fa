"""Replaying: demos are played again by an agent, in the game's process or in another one."""
