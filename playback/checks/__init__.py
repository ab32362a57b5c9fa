"""What happens in the running game when a check fails?"""
