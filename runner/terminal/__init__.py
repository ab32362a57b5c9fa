"""Terminal output and signal handling of commands."""
