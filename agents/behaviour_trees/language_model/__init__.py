"""How does a sentence in plain words choose an agent, or make a workspace?"""
