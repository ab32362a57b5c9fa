"""Text to plan: steps that a tester wrote down, as nodes and rules of an explicit plan."""
