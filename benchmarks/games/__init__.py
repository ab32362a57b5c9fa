"""What do the games and their agents cost, and how well do the agents do?"""
