"""How does the agent press the buttons of its pad, and replay those of the demo?"""
