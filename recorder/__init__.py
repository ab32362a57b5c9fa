"""Frames in: the recorder manager and everything that a frame can hold."""
