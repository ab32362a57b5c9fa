"""The built-in game: deterministic under a seed, headless, worth debugging."""
