"""What does a learner see of the shooting hall: observations, actions, many arenas at once?"""
