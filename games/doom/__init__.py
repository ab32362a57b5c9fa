"""Doom by ViZDoom, recorded from outside: its past is shown by stand-ins."""
