"""How are clips saved while recording goes on, and rescued from damaged files?"""
