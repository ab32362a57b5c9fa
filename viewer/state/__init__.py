"""What does a window know: playhead, selection, settings, layouts?"""
