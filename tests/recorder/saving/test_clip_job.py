"""A clip that is being saved: it ends once, and those who wait for it hear of that."""

from playhead.errors import RecordingError
from playhead.recorder.clips.clip_writer import SavedClip
from playhead.recorder.saving.clip_job import ClipJob


def test_a_clip_ends_once_and_the_first_end_counts(tmp_path):
    clip, ended = ClipJob("boom", None), []
    clip.on_done(ended.append)
    saved = SavedClip(tmp_path / "a.playhead", 5, 900, ())
    assert clip.finish(saved)
    assert not clip.finish(None, RecordingError("too late"))
    assert (ended, clip.error) == ([clip], None)
    assert clip.facts == {
        "name": "boom", "path": str(saved.path), "done": True, "frames": 5, "bytes": 900,
        "gaps": [], "lost": 0, "error": None,
    }  # fmt: skip


def test_in_a_forked_child_a_clip_of_the_parent_has_failed_and_no_callback_runs():
    clip, ended = ClipJob("boom", None), []
    clip.on_done(ended.append)
    clip.forked(RecordingError("the parent saves it"))
    assert clip.wait(0.0)
    assert (ended, clip.saved) == ([], None)
    assert (clip.facts["error"], clip.facts["path"]) == ("the parent saves it", None)
