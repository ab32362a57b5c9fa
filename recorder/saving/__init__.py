"""Saving clips while recording goes on, and making clips out of files."""
