"""What do commands print, and how do they react to signals?"""
