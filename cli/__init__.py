"""The commands of `playhead`, one file each."""
