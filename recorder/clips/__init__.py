"""Clips: how is a part of a recording written to one file and read again?"""
