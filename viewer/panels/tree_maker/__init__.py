"""What does the behaviour tree consist of that drives a character in the running game?"""
