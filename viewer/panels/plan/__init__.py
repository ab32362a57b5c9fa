"""How does a plan stand at a frame, and how does a person change it and try it?"""
