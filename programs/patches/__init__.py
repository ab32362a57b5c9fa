"""One patch a library: where it makes a frame, and what of it is recorded."""
