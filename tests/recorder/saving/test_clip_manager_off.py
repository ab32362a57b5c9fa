"""The clips of a session that is switched off: none is saved, and each says why."""

import pytest

from playhead.recorder.clip_triggers import ClipPolicy
from playhead.recorder.saving.clip_manager_off import ClipManagerOff


@pytest.fixture
def clips():
    return ClipManagerOff(ClipPolicy())


@pytest.mark.parametrize(
    "begin",
    [
        lambda clips, path: clips.clone(path),
        lambda clips, path: clips.trigger(str(path)),
        lambda clips, path: clips.rescue(ValueError(), str(path)),
    ],
    ids=["clone", "trigger", "rescue"],
)
def test_a_clip_that_is_begun_has_failed_already(begin, clips, tmp_path):
    clip = begin(clips, tmp_path / "a.playhead")
    assert clip.done()
    assert clip.name == str(tmp_path / "a.playhead")
    assert str(clip.error) == (
        "PLAYHEAD=off in the environment: nothing is recorded, so there is no clip"
    )
    assert clips.begun == ()
    assert list(tmp_path.iterdir()) == []


def test_an_error_in_a_guarded_block_comes_through(clips):
    with clips.guard():
        pass
    with pytest.raises(ZeroDivisionError), clips.guard("division"):
        raise ZeroDivisionError
