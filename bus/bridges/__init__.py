"""Bridges: what a service records, shown in other people's viewers at the playhead's instant."""
