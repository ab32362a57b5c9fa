"""How does a plan decide whether an action did what it should?"""
