"""How does ViZDoom run in a process of its own?"""
