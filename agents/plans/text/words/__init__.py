"""Words: what game and language know of a word, its spelling, its forms, its likeness to others."""
