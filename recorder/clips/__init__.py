"""Clips: a saved stretch of recording in one file."""
