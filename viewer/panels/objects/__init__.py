"""Which objects exist at the playhead?"""
