"""The built-in arena: deterministic under a seed, without a window, worth debugging."""
