"""Handlers: they record game objects as packets, and restore the objects from packets."""
