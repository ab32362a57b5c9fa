"""Which behaviour tree did an agent have, and what was the status of each node?"""
