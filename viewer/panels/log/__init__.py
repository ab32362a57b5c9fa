"""Log lines, marks and failed checks, in the order of time."""
