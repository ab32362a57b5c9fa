# A global class with a name that somebody else's script might use for something.
class_name Link
extends Reference
