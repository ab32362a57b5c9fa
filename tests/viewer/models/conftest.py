"""The dancers' recording, as models read it."""

import pytest

from playhead.recorder.clips.source import ClipSource
from playhead.viewer.models.deck import page_of
from playhead.viewer.models.history import History

from ..dancers import FRAMES, make_clip


@pytest.fixture(scope="session")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("dancers") / "hall.mcap"
    make_clip(path)
    with ClipSource.open(path) as opened:
        yield opened


@pytest.fixture(scope="session")
def history(source):
    made = History()
    for frame in range(1, FRAMES + 1):
        made.put(page_of(source, frame))
    return made
