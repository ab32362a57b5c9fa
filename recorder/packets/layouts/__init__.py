"""How is the payload of a packet laid out, described and encoded?"""
