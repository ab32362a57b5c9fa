"""How is a match in the shooting hall started, run, recorded and controlled by tools?"""
