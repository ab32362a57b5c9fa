"""How do the guards of the yard decide, and what do they throw?"""
