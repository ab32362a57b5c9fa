"""How does a user place things in a running arena and direct its agents?"""
