"""Bridges show what a service records in other viewers, at the playhead's instant."""
