"""What would be decided now, and what kept something from coming?"""
