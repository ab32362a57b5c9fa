"""How does a plan run in a game: the run, its agent, its way and its traces?"""
