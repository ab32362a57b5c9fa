"""What games, agents and tools state, and how a statement gets into its frame."""
