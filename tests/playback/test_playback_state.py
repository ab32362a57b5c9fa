"""What is drawn of a shown frame."""

import msgspec

from playhead.playback.playback_state import Mode, PlaybackState
from playhead.recorder.packets.recorded_frame import FrameRange


def test_with_nobody_in_focus_everybody_is_drawn() -> None:
    assert PlaybackState(Mode.PAUSED).draws(7, "ai")


def test_with_an_object_in_focus_only_its_drawings_and_the_worlds_are_shown() -> None:
    shown = PlaybackState(Mode.PAUSED, focus=7)
    assert shown.draws(7, "ai")
    assert not shown.draws(8, "ai")
    assert shown.draws(0, "ai")


def test_a_hidden_channel_is_not_drawn() -> None:
    shown = PlaybackState(Mode.PAUSED, hidden=frozenset({"ai"}))
    assert not shown.draws(7, "ai")
    assert shown.draws(7, "fx")


def test_a_drawing_without_a_channel_is_always_shown() -> None:
    assert PlaybackState(Mode.PAUSED, hidden=frozenset({"ai"})).draws(7)


def test_what_is_shown_survives_the_wire() -> None:
    shown = PlaybackState(
        Mode.PLAYING,
        frame=3,
        time=1.5,
        rate=-2.0,
        loop=(1.0, 2.0),
        hidden=frozenset({"ai"}),
        span=FrameRange(1, 9, 0.0, 4.0),
    )
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(shown), type=PlaybackState) == shown
