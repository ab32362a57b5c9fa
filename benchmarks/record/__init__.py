"""What does recording a frame cost the game?"""
