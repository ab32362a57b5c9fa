"""Behaviour trees made of a folder of data: checked, run in a game, made from words."""
