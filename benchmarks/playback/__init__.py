"""How fast is a recording read, from memory and from a file?"""
