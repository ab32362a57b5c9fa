"""Which games are included, and what must a game offer to be run, played or tested?"""
