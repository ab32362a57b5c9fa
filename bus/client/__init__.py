"""A tool's end of the bus: how does a program follow, move and question a recording elsewhere?"""
