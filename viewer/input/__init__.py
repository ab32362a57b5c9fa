"""Which key does what, and how do keyboard and gamepads control a game?"""
