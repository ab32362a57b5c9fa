"""What a window knows: where it stands, what was read, what a person wants."""
