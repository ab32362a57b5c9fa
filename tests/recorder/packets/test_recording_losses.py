"""What was not recorded is logged, told by the recording, and shown wherever it is opened."""

import pytest

from playhead.errors import HandlerError, RecordingError
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.save_clip import save
from playhead.viewer.reader.history.history_record_types import FramePage
from playhead.viewer.reader.history.recording_history import RecordingHistory
from playhead.viewer.search.problem_list import problems


def losing(make_recorder, thing, **settings):
    recorder = make_recorder(strict=False, **settings)

    def objects():
        yield 1, "thing", thing()
        yield 2, "ghost", thing()
        yield "three", "thing", thing()
        yield 0, "thing", thing()
        raise ConnectionError("the engine is gone")

    for _ in range(20):
        recorder.update(objects(), 0.1)
    return recorder


def test_each_cause_is_logged_once_and_counted(make_recorder, thing, caplog):
    recorder = losing(make_recorder, thing)
    errors = [one.getMessage() for one in caplog.records if one.levelname == "ERROR"]
    assert len(errors) == 3
    for word in ("'ghost' has no handler", "object id 'three'", "the engine is gone"):
        assert sum(word in error for error in errors) == 1
    assert recorder.status.calls_refused == {"object id": 40, "objects()": 20}
    assert recorder.status.unhandled == {"ghost": 20}


def test_without_logging_set_up_python_shows_it(make_recorder, thing, capfd, monkeypatch):
    import logging

    monkeypatch.setattr(logging.getLogger("playhead"), "propagate", False)
    losing(make_recorder, thing)
    shown = capfd.readouterr().err
    assert shown.count("'ghost' has no handler") == 1


@pytest.mark.parametrize("frames", ["held", "evicted"])
def test_a_clip_that_is_opened_elsewhere_tells_what_is_missing(
    make_recorder, thing, tmp_path, frames
):
    recorder = losing(make_recorder, thing, memory="256 KiB")
    while frames == "evicted" and recorder.source.span.oldest < 100:
        recorder.update([(n, "thing", thing()) for n in range(1, 200)], 0.1)
    path = tmp_path / "lost.mcap"
    save(path, recorder.ring)
    with ClipSource.open(path) as clip:
        facts = clip.info()["losses"]
        result = {(one["cause"], one["frame"], one["count"]) for one in facts}
        assert result == {("no handler", 1, 16), ("object id", 1, 32), ("objects()", 1, 16)}
        history, span = RecordingHistory(), clip.span
        for stamp in clip.stamps(span.oldest, span.newest):
            history.put(FramePage(stamp.id, stamp.time, stamp.delta, stamp.flags))
        history.losses = tuple(clip.losses(span.newest))
        history.version += 1
        found = problems(history)
        assert len(found) == 3
        assert {problem.frame for problem in found} == {span.oldest}
        assert any("'ghost' has no handler" in problem.text for problem in found)


def test_packets_without_room_are_reported_too(make_recorder, thing, caplog):
    recorder = make_recorder("64 KiB", strict=False)
    for _ in range(3):
        recorder.update([(n, "thing", thing()) for n in range(1, 5000)], 0.1)
    assert [one.getMessage() for one in caplog.records] == [
        "packets found no room in the recording: give it more memory"
    ]


def test_strict_they_are_raised(make_recorder, thing):
    recorder = make_recorder()
    with pytest.raises(HandlerError, match="'ghost' has no handler"):
        recorder.update([(2, "ghost", thing()), (1, "thing", thing())], 0.1)
    with pytest.raises(RecordingError, match="three"):
        recorder.update([("three", "thing", thing())], 0.1)
    assert recorder.source.span.newest == 2


def test_a_draw_call_in_playback_is_no_error(make_recorder, thing, caplog):
    recorder = make_recorder()
    recorder.update([(1, "thing", thing())], 0.1)
    recorder.suspended = True
    recorder.log("paused")
    recorder.suspended = False
    assert recorder.status.calls_refused == {"log in playback": 1}
    assert not caplog.records
