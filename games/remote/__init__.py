"""Games in other languages: what arrives through the gateway is recorded, and shown back there."""
