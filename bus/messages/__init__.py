"""Which messages does the bus carry, and how are they encoded?"""
