"""Ready-made handlers: how is an object's state recorded and played back?"""
