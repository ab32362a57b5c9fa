"""Which games come along, and what must a game offer to be run, played or tested?"""
