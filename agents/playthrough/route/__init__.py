"""How does the agent follow the path of a demo, and recover where it is blocked?"""
