"""Files that older versions made: they open, and answer as they did when they were made.

Each folder of `tests/fixtures` has a ring, a clip of it, and the answers that both gave then.
"""

import json
from pathlib import Path

import pytest

from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.reading.ring_source import RingSource

from ..support.answers import answers

FIXTURES = sorted((Path(__file__).parents[1] / "fixtures").glob("format-*"))


@pytest.mark.parametrize("folder", FIXTURES, ids=lambda folder: folder.name)
def test_a_ring_of_an_older_version_answers_as_it_did(folder):
    expected = json.loads((folder / "answers.json").read_text(encoding="utf-8"))
    assert answers(RingSource.open(folder / "recording.ring")) == expected


@pytest.mark.parametrize("folder", FIXTURES, ids=lambda folder: folder.name)
def test_a_clip_of_an_older_version_answers_as_it_did(folder):
    expected = json.loads((folder / "answers.json").read_text(encoding="utf-8"))
    with ClipSource.open(folder / "recording.mcap") as clip:
        assert answers(clip) == expected
        assert clip.clip.damage == []


def test_there_are_files_of_the_first_version():
    assert "format-1.0" in {folder.name for folder in FIXTURES}
