"""A clip with pictures that are known again: each frame's is grey as its number says."""

from pathlib import Path

import numpy as np

from playhead.recorder.clips.save_clip import save
from playhead.recorder.recorder import Recorder
from playhead.recorder.statements.statement_messages import SetMark


def make_picture_clip(
    path: Path, frames: int = 120, every: int = 4, names: tuple[str, ...] = ("screen",)
) -> None:  # fmt: skip
    """Record pictures of 128 × 72 in every so-many-th frame, from the first one on; 60 frames a
    second. A check fails in the last frame but nine."""
    recorder = Recorder("16 MiB", strict=True)
    for frame in range(1, frames + 1):
        if frame % every == 1 or every == 1:
            for name in names:
                recorder.picture(np.full((72, 128, 3), frame % 250, np.uint8), name=name)
                recorder.wait_for_pictures(10)
        if frame == frames - 9:
            recorder.trace.state(7, "ai", "Idle", "Run", won="is tired")
            recorder.emit(SetMark("all is well", kind="check"))
        recorder.update([], 1 / 60)
    save(path, recorder.ring)
    recorder.close()
