"""How does the agent talk to people, and press through messages, menus and screens?"""
