"""What takes hold of a game: breakpoints, traces and replaced results of decisions, and edits."""
