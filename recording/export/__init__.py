"""How is a recording written for programs that analyse tables or show traces?"""
