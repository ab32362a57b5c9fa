"""How are pictures of a game's screen copied, compressed on a thread, and kept within a budget?"""
