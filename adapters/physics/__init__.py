"""How are the simulations of physics libraries recorded, and put back in playback?"""
