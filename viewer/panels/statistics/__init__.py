"""What a stretch of time comes to, in numbers."""
