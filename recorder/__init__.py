"""How is a frame recorded, and what can it hold?"""
