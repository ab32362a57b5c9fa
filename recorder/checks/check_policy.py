"""What a failed check does: pause the game, move the camera, notify tools, log a hint."""

import msgspec


class CheckPolicy(msgspec.Struct, frozen=True):
    """What a failed check does, at the end of its frame and in this order, beside its mark."""

    pause: bool = True
    """Enter playback at the frame in which it failed."""
    camera: bool = True
    """Look at the object."""
    notify: bool = True
    """Notify tools and listeners."""
    hint: bool = True
    """Say in the log how to open the recording. False where it does not last: then whoever asked
    for the run says which clips are kept."""


UNATTENDED = CheckPolicy(pause=False, camera=False)
"""For unattended runs: mark, notify, and go on."""
UNKEPT = CheckPolicy(pause=False, camera=False, hint=False)
"""The same, for runs whose recording is gone afterwards; clips of failures may be kept."""
UNREPORTED = CheckPolicy(pause=False, camera=False, notify=False)
"""The same, for runs of which only the outcome is asked: whoever starts them says what failed."""
