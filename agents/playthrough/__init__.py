"""The playthrough agent: how does a person's demo get played again in a game that has changed?"""
