"""Which state is an agent in, by which transition, and why?"""
