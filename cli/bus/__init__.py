"""Which commands talk to a running playhead, and what do they share?"""
