"""Behaviour trees that are defined by a folder of data: checked, run in a game, made from words."""
