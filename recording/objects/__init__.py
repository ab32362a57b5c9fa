"""What was recorded of one object: its name, its fields, their values over time?"""
