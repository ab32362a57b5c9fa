"""How is what a program shows in its window recorded?"""
