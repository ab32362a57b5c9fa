"""Random input against everything that reads bytes from outside: `python -m fuzz.run`."""
