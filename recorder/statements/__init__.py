"""What can games, agents and tools state, and how does a statement get into its frame?"""
