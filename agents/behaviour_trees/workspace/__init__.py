"""Which files define an agent's behaviour tree, and how are they read, checked and edited?"""
