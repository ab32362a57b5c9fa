"""How is a game in another language, connected to the gateway, recorded and restored?"""
