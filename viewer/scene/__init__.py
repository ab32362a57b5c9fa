"""How is a recorded frame drawn: bodies, drawings, ground, camera?

Nothing here needs OpenGL. numpy and our own C code draw into an image of Qt's: without a graphics
card OpenGL takes four to six times as long for each move of the playhead, and so does Qt's painter
for smooth lines.
"""
