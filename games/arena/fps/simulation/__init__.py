"""How the shooting hall goes on: its state, walls, targets, rounds, sight and rewards."""
