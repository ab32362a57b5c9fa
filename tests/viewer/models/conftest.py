"""The dancers' recording, as models read it."""

import pytest

from playhead.recorder.clips.clip_source import ClipSource
from playhead.viewer.backends.playback_backend import frame_page
from playhead.viewer.reader.recording_history import RecordingHistory

from ..dancers import FRAMES, make_clip


@pytest.fixture(scope="session")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("dancers") / "hall.mcap"
    make_clip(path)
    with ClipSource.open(path) as opened:
        yield opened


@pytest.fixture(scope="session")
def history(source):
    made = RecordingHistory()
    for frame in range(1, FRAMES + 1):
        made.put(frame_page(source, frame))
    return made
