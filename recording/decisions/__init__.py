"""What were decisions made from, what would they be now, and what kept others from coming?"""
