"""Doom through ViZDoom: a real game, recorded from outside."""
