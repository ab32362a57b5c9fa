"""Reads recorded frames: of a ring, a clip or a service, all alike."""
