"""How does a tree's agent find a path to its goal without making the game wait?"""
