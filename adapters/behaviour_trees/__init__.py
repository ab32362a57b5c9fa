"""How are the behaviour trees of other libraries recorded?"""
