"""A navigation policy: a small network that has learned to walk to a target, and its training."""
