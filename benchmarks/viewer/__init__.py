"""How soon does the viewer show an instant, and what memory does it take?"""
