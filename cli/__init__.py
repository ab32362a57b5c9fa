"""What does each command of `playhead` do? One file a command, and the table of them."""
