"""Which pads are held, by whom, and what is pressed on them?"""
