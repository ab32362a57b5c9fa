"""How are recorded frames read, from a ring, a clip or a service alike?"""
