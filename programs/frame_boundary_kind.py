"""What ends a frame in the recording of a program."""

from enum import IntEnum


class FrameBoundaryKind(IntEnum):
    """What ends a step of the program. If several are in use the highest does.

    A program that steps a simulation several times for each picture has a frame for each picture;
    and one that steps an environment has a frame for each step, whatever is drawn in it.
    """

    SIMULATION = 1
    """A step of a physics simulation."""
    WINDOW = 2
    """A picture that is shown in a window."""
    ENVIRONMENT = 3
    """A step of a learning environment."""
