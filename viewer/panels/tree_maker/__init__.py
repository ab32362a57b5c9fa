"""Of what is the tree made that drives somebody in the running game?"""
