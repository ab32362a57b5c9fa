"""A tool's end of the bus: how does a program follow and move a session elsewhere?"""
