"""How recorded frames are read: of a ring, a clip or a service, all alike."""
