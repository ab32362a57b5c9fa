"""What was the status of each node of a behaviour tree at the playhead?"""
