"""The packets of a frame: their types, layouts and payloads."""
