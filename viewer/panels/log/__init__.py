"""Log lines, marks, events and failed checks in order of time."""
