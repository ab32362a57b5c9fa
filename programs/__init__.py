"""Records programs that know nothing of playhead: runs them as Python does, and patches the
libraries that they import."""
