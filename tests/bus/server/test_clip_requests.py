"""Tools have clips saved: also of a game that stands in a debugger."""

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from playhead.bus.client.client import Client
from playhead.bus.messages.events import ClipFinished
from playhead.bus.messages.message_types import Event
from playhead.bus.messages.requests import SaveClip
from playhead.bus.messages.response_rows import ClipRow
from playhead.errors import BusError, CapacityError, CommandError, EvictedError, RecordingError
from playhead.recorder.clip_triggers import ClipPolicy
from playhead.recorder.clips.clip_writer import ClipWriter
from playhead.recorder.clips.verify_clip import verify
from playhead.recorder.saving.clip_worker import MOST_AT_ONCE

from ...support.stage import IMPATIENT, loopback
from ...support.waits import LIMIT, until


@pytest.fixture
def yard(game):
    """A game with 64 frames, a second."""
    return yard_of(game)


def yard_of(game, **rest):
    made = game(clips=ClipPolicy("clips", pre=0.25, post=0.125), **rest)
    made.run(64)
    return made


def test_what_is_recorded_is_saved_and_the_answer_says_where_and_what(yard, tmp_path):
    with Client(yard.endpoint) as client:
        row = client.save(str(tmp_path / "x.mcap"))
        assert row == ClipRow(
            "save", str(tmp_path / "x.mcap"), True, 64, (tmp_path / "x.mcap").stat().st_size
        )
        assert verify(row.path).ok
        assert client.save("sub/y.mcap", 10, 20).path == str(tmp_path / "clips/sub/y.mcap")
        assert verify(tmp_path / "clips/sub/y.mcap").frames == 11


def test_a_game_that_stands_in_a_debugger_is_saved_all_the_same(game, tmp_path):
    yard = yard_of(game, bus=loopback(patience=IMPATIENT))
    with Client(yard.endpoint) as client, yard.in_a_debugger():
        assert client.save(str(tmp_path / "x.mcap")).frames == 64
        events: list[Event] = []
        client.on("clip", events.append)
        client.dispatch(0.5)  # until the subscription is heard
        assert not client.trigger("look").done
        with pytest.raises(CommandError):  # busy
            client.pause()
    # That the first one is there may be told a moment after its answer.
    assert "look" not in [event.event.clip.name for event in events]


def test_a_trigger_is_answered_at_once_and_its_clip_announced_when_it_is_written(yard, tmp_path):
    with Client(yard.endpoint) as client:
        events: list[Event] = []
        client.on("clip", events.append)
        client.dispatch(0.5)
        row = client.trigger("stuck", note="why", object=2)
        assert (row.name, row.done, row.frames) == ("stuck", False, 0)
        yard.run(20)
        until(lambda: events, client)
        (event,) = events
        assert isinstance(event.event, ClipFinished)
        clip = event.event.clip
        # 16 frames before the newest one, that one, the marked one, 8 behind it.
        assert (clip.name, clip.done, clip.frames, clip.error) == ("stuck", True, 26, "")
        assert Path(clip.path).parent == tmp_path / "clips"
        assert verify(clip.path).ok
        assert [mark.name for mark in client.marks()] == ["stuck"]


def test_clips_that_fail_are_reported_too(yard, tmp_path):
    (tmp_path / "clips").touch()
    with Client(yard.endpoint) as client:
        events: list[Event] = []
        client.on("clip", events.append)
        client.dispatch(0.5)
        client.trigger("stuck")
        yard.run(20)
        until(lambda: events, client)
        assert isinstance(events[0].event, ClipFinished)
        assert "no folder for clips can be made" in events[0].event.clip.error
        with pytest.raises(RecordingError, match="clips: no folder can be made"):
            client.save("x.mcap")


@pytest.mark.parametrize("path", ["x.txt", "", "x.mcap\0y.mcap"])
def test_a_path_that_is_none_of_a_clip_is_refused(yard, path):
    with Client(yard.endpoint) as client, pytest.raises(CommandError, match=r"a clip is a file"):
        client.save(path)


def test_what_can_not_be_saved_is_answered_so(yard, tmp_path):
    (tmp_path / "x.mcap").write_text("precious")
    with Client(yard.endpoint) as client:
        with pytest.raises(RecordingError, match="this is there already"):
            client.save(str(tmp_path / "x.mcap"))
        with pytest.raises(RecordingError, match="there is no folder"):
            client.save(str(tmp_path / "none" / "x.mcap"))
        with pytest.raises(EvictedError, match="frames 60 to 70 can't be saved"):
            client.save(str(tmp_path / "y.mcap"), 60, 70)
        with pytest.raises(CommandError, match="pre -1"):
            client.trigger("x", -1.0)
    assert (tmp_path / "x.mcap").read_text() == "precious"


@pytest.mark.parametrize("strict", [True, False])
def test_too_many_at_once_are_answered_so(game, strict):
    yard = yard_of(game, strict=strict)
    with Client(yard.endpoint) as client:
        for number in range(MOST_AT_ONCE):
            client.trigger(f"n{number}", post=1000.0)
        with pytest.raises(CapacityError, match="8 are being saved already"):
            client.trigger("one more")


def test_other_requests_are_answered_while_a_clip_is_being_written(yard, tmp_path, monkeypatch):
    gate, writes = threading.Event(), threading.Event()
    finish = ClipWriter.finish

    def slow(writer: ClipWriter) -> object:
        writes.set()
        assert gate.wait(LIMIT)
        return finish(writer)

    monkeypatch.setattr(ClipWriter, "finish", slow)
    rows: list[ClipRow] = []

    def save() -> None:
        with Client(yard.endpoint) as saver:
            rows.append(saver.save(str(tmp_path / "x.mcap")))

    thread = threading.Thread(target=save)
    thread.start()
    try:
        assert writes.wait(LIMIT)
        with Client(yard.endpoint) as client:
            assert client.snapshot().span.newest == 64
            assert client.step(-1).frame == 63
        assert not rows
    finally:
        gate.set()
        thread.join(LIMIT)
    assert rows[0].frames == 64


def test_a_tool_has_as_much_patience_as_it_says(yard, tmp_path, monkeypatch):
    gate = threading.Event()
    finish: Callable[[ClipWriter], object] = ClipWriter.finish

    def slow(writer: ClipWriter) -> object:
        assert gate.wait(LIMIT)
        return finish(writer)

    monkeypatch.setattr(ClipWriter, "finish", slow)
    with Client(yard.endpoint) as client:
        with pytest.raises(BusError, match=r"no answer within 0\.1 s"):
            client.save(str(tmp_path / "x.mcap"), timeout=0.1)
        gate.set()


def test_closing_the_game_finishes_what_was_asked_for(yard, tmp_path):
    begun = threading.Event()
    add = ClipWriter.add

    def tell(writer: ClipWriter, image: bytes) -> None:
        begun.set()
        add(writer, image)

    def save() -> None:
        # The answer may be lost with the connection: the clip is not.
        with suppress(BusError), Client(yard.endpoint) as client:
            client.save(str(tmp_path / "x.mcap"))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ClipWriter, "add", tell)
        thread = threading.Thread(target=save)
        thread.start()
        assert begun.wait(LIMIT)
        yard.close()
        thread.join(LIMIT)
    report = verify(tmp_path / "x.mcap")
    assert (report.ok, report.frames) == (True, 64)


def test_of_a_game_without_a_frame_nothing_can_be_saved(game, tmp_path):
    nothing = pytest.raises(EvictedError, match=r"x\.mcap: there is no frame to be saved")
    with Client(game().endpoint) as client, nothing:
        client.save(str(tmp_path / "x.mcap"))


def test_a_service_that_ends_while_a_clip_is_written_says_to_look_for_it(
    yard, peer, tmp_path, monkeypatch
):
    gate = threading.Event()
    monkeypatch.setattr(ClipWriter, "finish", lambda writer: gate.wait(LIMIT))
    asking = peer(yard)
    asking.send(SaveClip(str(tmp_path / "x.mcap")))
    until(lambda: yard.bus._dispatcher._saving)
    yard.do(yard.session.bus.close)
    gate.set()
    answer = asking.answer().body
    assert (answer.kind, answer.message) == (
        "ended", "the service has ended while the clip was being written: see whether it is there",
    )  # fmt: skip
