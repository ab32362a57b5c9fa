"""Which commands make, run and replay agents?"""
