"""How do other programs follow and move a session, in any language?"""
