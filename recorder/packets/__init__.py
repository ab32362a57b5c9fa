"""What stands in a frame: the types of packets, their layouts and payloads."""
