"""A recording's end of the bus: who answers requests, and who sends events?"""
