"""What the viewer knows and works out, without Qt."""
