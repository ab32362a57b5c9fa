"""How does the selected object move, and how does it want to move?"""
