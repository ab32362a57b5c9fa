"""Which commands run a game under the recorder?"""
