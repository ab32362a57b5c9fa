"""The games that agents play: the built-in arena and adapters to real games."""
