"""Which animation clips make up a pose, and with which weights?"""
