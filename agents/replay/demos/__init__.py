"""How are demos recorded, read, chosen for a replay, and compared with the game?"""
