"""Doom as plans drive it: its actors, actions, validators, and where one can walk."""
