"""How soon do other programs follow, and what do they cost the game?"""
