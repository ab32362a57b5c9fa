"""What a tool is told of, kept until its callbacks are called; each queue has an end."""

from types import SimpleNamespace
from typing import Any

import pytest

from playhead.bus.client import subscriptions as module
from playhead.bus.client.subscriptions import Subscriptions
from playhead.bus.messages.events import FramesChanged, SpanChanged, ValuePublished
from playhead.bus.messages.message import PROTOCOL, PlayheadTime
from playhead.bus.messages.message_types import Event
from playhead.bus.messages.responses import Snapshot, Welcome
from playhead.recorder.packets.recorded_frame import FrameRange

SPAN = FrameRange(3, 8, 0.5, 1.0)


class Connection:
    """A connection that receives what a test says, and the subscriptions on it."""

    def __init__(self) -> None:
        self.topics: list[str] = []
        self.transport: Any = SimpleNamespace(subscribe=self.topics.append, origin="me#1")
        self.subscriptions = Subscriptions(self.transport, conflate=True)
        self.sequence = 0

    def event(self, body: Any) -> None:
        self.sequence += 1
        self.transport.on_event(Event(origin="", sequence=self.sequence, event=body))

    def time(self, frame: int = 0, time: float = 0.0) -> None:
        self.sequence += 1
        self.transport.on_time(
            PlayheadTime(
                origin="", sequence=self.sequence, mode="paused", frame=frame, time=time,
                discrete=True,
            )
        )  # fmt: skip

    def welcome(self, service: str, span: FrameRange | None = None) -> None:
        now = PlayheadTime(origin="", sequence=0, mode="live")
        self.transport.on_welcome(Welcome("me#1", PROTOCOL, service, 1, 2, Snapshot(now, span, {})))


@pytest.fixture
def connection():
    return Connection()


def published(names_and_values):
    return [(event.event.name, event.event.body) for event in names_and_values]


def test_the_span_is_that_of_the_service_lengthened_to_the_frame_of_the_newest_instant(connection):
    subscriptions = connection.subscriptions
    assert subscriptions.span is None
    connection.time(frame=5, time=0.75)
    assert subscriptions.span == FrameRange(5, 5, 0.75, 0.75)
    connection.event(SpanChanged(SPAN))
    assert subscriptions.span == SPAN
    connection.time(frame=9, time=1.25)
    assert subscriptions.span == FrameRange(3, 9, 0.5, 1.25)
    connection.welcome("another", FrameRange(1, 2, 0.0, 0.25))
    assert subscriptions.span == FrameRange(1, 2, 0.0, 0.25)


def test_a_follower_that_was_ended_is_not_called_and_may_be_ended_again(connection):
    received = []
    stop = connection.subscriptions.on_time(received.append, own=True)
    connection.time(frame=1)
    assert connection.subscriptions.deliver() == 1
    stop()
    stop()
    connection.time(frame=2)
    assert connection.subscriptions.deliver() == 0
    assert [time.frame for time in received] == [1]


def test_who_asks_for_every_published_value_gets_those_that_others_do_not(connection):
    newest, every = [], []
    connection.subscriptions.on("published", newest.append)
    connection.subscriptions.on("published", every.append, every=True)
    for name, value in (("hp", 1), ("hp", 2), ("ammo", 3)):
        connection.event(ValuePublished(name, value))
    assert connection.subscriptions.deliver() == 5
    assert published(every) == [("hp", 1), ("hp", 2), ("ammo", 3)]
    assert published(newest) == [("hp", 2), ("ammo", 3)]
    assert not connection.subscriptions.waits


def test_of_too_many_published_values_the_oldest_are_dropped_and_counted(connection, monkeypatch):
    monkeypatch.setattr(module, "_MOST_QUEUED", 2)
    every = []
    connection.subscriptions.on("published", every.append, every=True)
    for value in range(5):
        connection.event(ValuePublished("hp", value))
    connection.subscriptions.deliver()
    assert published(every) == [("hp", 3), ("hp", 4)]
    assert connection.subscriptions.missed == 3


def test_of_too_many_events_the_oldest_are_dropped_and_counted(connection, monkeypatch):
    monkeypatch.setattr(module, "_MOST_QUEUED", 2)
    received = []
    connection.subscriptions.on("changed", received.append)
    for frame in range(5):
        connection.event(FramesChanged([frame]))
    connection.subscriptions.deliver()
    assert [event.event.frames for event in received] == [[3], [4]]
    assert connection.subscriptions.missed == 3


def test_a_game_that_publishes_under_ever_new_names_is_heard_of_the_first_only(
    connection, monkeypatch
):
    monkeypatch.setattr(module, "MOST_NAMES", 2)
    received = []
    connection.subscriptions.on("published", received.append)
    for name in ("a", "b", "c", "a"):
        connection.event(ValuePublished(name, name))
    connection.subscriptions.deliver()
    assert published(received) == [("a", "a"), ("b", "b")]


def test_another_run_of_the_service_counts_its_events_from_the_start(connection):
    connection.subscriptions.on("changed", lambda event: None)
    connection.welcome("one")
    connection.event(FramesChanged([1]))
    connection.sequence += 2
    connection.event(FramesChanged([2]))
    assert connection.subscriptions.missed == 2
    connection.welcome("other")
    connection.sequence += 7
    connection.event(FramesChanged([3]))
    assert connection.subscriptions.missed == 2
