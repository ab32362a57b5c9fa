"""How does the playhead move over recorded frames, and how is the game restored to them?"""
