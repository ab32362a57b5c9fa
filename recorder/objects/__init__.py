"""How do a game's objects become packets: their ids, types and handlers?"""
