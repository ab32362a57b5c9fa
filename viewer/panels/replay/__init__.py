"""Which demos are replayed, and with which results?"""
