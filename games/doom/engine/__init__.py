"""The engine of ViZDoom in a process of its own: its server, its messages and its end."""
