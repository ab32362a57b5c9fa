"""How a learner meets the hall: observations, actions, spaces and many arenas at once."""
