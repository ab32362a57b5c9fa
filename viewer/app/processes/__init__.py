"""Which other processes does a window talk to?"""
