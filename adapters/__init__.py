"""Adapters: a session records a program's own things through them: plain objects, behaviour trees,
sprites and learning environments, without a line of adapter code in the program.

Optional libraries are used if a program has loaded them already, and never imported for it.
"""
