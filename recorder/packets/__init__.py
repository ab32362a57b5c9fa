"""What is in a frame: types of packets, their layouts and payloads."""
