"""The viewer as a program: its window, what opens in it, and what its keys do."""
