"""What does a window scrub, a file or a running game, and where are annotations saved?"""
