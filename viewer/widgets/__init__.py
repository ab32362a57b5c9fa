"""Widgets that several panels or the window share."""
