"""New frames are looked through for those who listen; what can't be read is counted."""

from typing import Any

import pytest

from playhead.bus.messages.events import MarkAdded
from playhead.bus.server.event_tailer import EventTailer
from playhead.errors import EvictedError
from playhead.recorder.packets.layouts.plain_value_codec import encode
from playhead.recorder.packets.mark import Mark
from playhead.recorder.packets.packet_types import Kind, PacketType
from playhead.recorder.recorder import Recorder
from playhead.recorder.statements.statement_messages import SetMark


class Listener:
    """Listens to marks alone, and keeps what is published."""

    def __init__(self) -> None:
        self.published: list[Any] = []

    def has_subscribers(self, topic: str) -> bool:
        return topic == "mark"

    def publish(self, topic: str, event: Any) -> None:
        self.published.append(event)

    @property
    def marks(self) -> list[tuple[str, int]]:
        events = (event for event in self.published if isinstance(event, MarkAdded))
        return [(event.mark.name, event.mark.frame) for event in events]


@pytest.fixture
def recorder():
    recorder = Recorder("1 MiB")
    yield recorder
    recorder.close()


@pytest.fixture
def listener():
    return Listener()


def test_of_marks_that_name_a_frame_that_is_gone_or_are_broken_the_others_are_published(
    recorder, listener
):
    recorder.emit(SetMark("first"))
    recorder.update([], 0.25)
    ring = recorder.ring
    ring.begin()
    for payload in (encode(Mark("of no frame", frame=99)), b"\xc1", encode(Mark("late", frame=1))):
        ring.latch(0, PacketType.MARK, 0, Kind.MARK, 0, payload)
    ring.commit(0.5, 0.25)
    tailer = EventTailer(recorder.source, listener)
    assert not tailer.publish(False, False)
    assert listener.marks == [("first", 1), ("late", 1)]
    assert tailer.skipped == 2


def test_when_the_newest_frame_is_evicted_meanwhile_there_are_no_marks(
    recorder, listener, monkeypatch
):
    recorder.emit(SetMark("first"))
    recorder.update([], 0.25)
    tailer = EventTailer(recorder.source, listener)

    def evicted(*_: Any) -> Any:
        raise EvictedError("frame 1 is not held")

    monkeypatch.setattr(recorder.ring, "versions", evicted)
    assert not tailer.publish(False, False)
    assert listener.marks == []
