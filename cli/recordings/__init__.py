"""Which commands read, cut and show recordings?"""
