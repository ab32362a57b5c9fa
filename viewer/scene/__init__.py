"""How is a recorded frame drawn: bodies, drawings, ground, camera?"""
