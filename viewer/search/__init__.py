"""What can be found by typing, and where are problems and changes of a field?"""
