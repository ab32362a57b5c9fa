"""How are images decoded, cached, and drawn into with a depth buffer?"""
