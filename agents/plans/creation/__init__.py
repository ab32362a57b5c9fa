"""How is a plan made: recorded from a play, converted from demos, joined from other plans?"""
