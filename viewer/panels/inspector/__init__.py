"""What is recorded of the selected object at the playhead?"""
