"""What is sent over the bus: every message, and how it stands as MessagePack and as JSON."""
