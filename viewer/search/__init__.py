"""What can be found by typing, by a problem, or by a change of a field."""
