"""How are demos played again, one after another, in the game's process or in another one?"""
