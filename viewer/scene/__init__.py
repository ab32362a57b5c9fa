"""A recorded frame as bodies and drawings, and how they are painted through a camera."""
