"""How is a game run under a session: its loop, its window, its player?"""
