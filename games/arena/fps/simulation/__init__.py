"""How does the shooting hall behave: state, walls, targets, rounds, sight, rewards?"""
