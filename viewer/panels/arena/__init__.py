"""How does a person place things in a running arena and direct its agents?"""
