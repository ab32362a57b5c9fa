"""A session's end of the bus: how are requests answered and events published?"""
