"""What is the progress of a plan at a frame, and how is a plan edited and run?"""
