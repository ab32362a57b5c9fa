"""The two sockets that everybody hears: order, who listens, slow ones, and who came late."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import zmq

from playhead.bus.messages.address import Address
from playhead.bus.messages.events import LinesLogged, SpanChanged, ToolsChanged
from playhead.bus.messages.message import PlayheadTime
from playhead.bus.messages.message_types import TOPICS
from playhead.bus.messages.msgpack_codec import event_of, time_of
from playhead.bus.server.publisher import Publisher
from playhead.recorder.packets.log_lines import LogLine

LOOPBACK = Address("127.0.0.1", 0)
LIMIT = 90_000
"""Milliseconds."""


@pytest.fixture
def context() -> Iterator[Any]:
    with zmq.Context() as made:
        yield made


@pytest.fixture
def publisher(context: Any) -> Iterator[Publisher]:
    made = Publisher(context, "service")
    made.ports = made.bind(LOOPBACK)
    yield made
    made.close()


@pytest.fixture
def listen(context: Any, publisher: Publisher) -> Iterator[Callable[..., Any]]:
    """Subscribe to topics of the events, or to the times; returns when the publisher knows."""
    made = []

    def subscribe(*topics: str, times: bool = False, **options: Any) -> Any:
        socket = context.socket(zmq.SUB)
        made.append(socket)
        socket.linger = 0
        for name, value in options.items():
            setattr(socket, name, value)
        socket.connect(LOOPBACK.at(publisher.ports[1 if times else 0]).endpoint)
        for topic in [""] if times else topics:
            socket.subscribe(topic)
        wait_for(publisher, lambda: publisher.listen()[1 if times else 0])
        return socket

    yield subscribe
    for socket in made:
        socket.close()


def wait_for(publisher: Publisher, found: Callable[[], Any]) -> None:
    poller = zmq.Poller()
    for handle in publisher.handles:
        poller.register(handle, zmq.POLLIN)
    for _ in range(LIMIT // 10):
        if found():
            return
        poller.poll(10)
    pytest.fail("it did not happen in time")


def heard(socket: Any) -> Any:
    assert socket.poll(LIMIT), "nothing came"
    parts = socket.recv_multipart()
    return time_of(parts[0]) if len(parts) == 1 else event_of(parts[1])


def at(frame: int, **rest: Any) -> PlayheadTime:
    return PlayheadTime(origin="", sequence=0, mode="paused", frame=frame, time=frame / 4, **rest)


def test_each_change_is_reported_once_with_numbers_that_count_up(publisher, listen):
    tool = listen(times=True)
    first = heard(tool)  # how things stand, for who came late
    assert first.repeated
    assert [publisher.publish_time(at(frame)) for frame in (3, 4, 4, 4, 5)] == [1, 2, 2, 2, 3]
    result = [heard(tool) for _ in range(3)]
    assert [(time.sequence, time.frame, time.time) for time in result] == [
        (1, 3, 0.75), (2, 4, 1.0), (3, 5, 1.25),
    ]  # fmt: skip
    assert not any(time.repeated for time in result)
    assert publisher.counts["times"] == 4


@pytest.mark.parametrize(
    "change",
    [{"rate": 2.0}, {"focus": 7}, {"hidden": frozenset({"ai"})}, {"loop": (0.0, 1.0)}],
)
def test_what_is_shown_at_a_frame_is_part_of_the_instant(publisher, change):
    assert publisher.publish_time(at(3)) == 1
    assert publisher.publish_time(at(3, **change)) == 2
    assert publisher.publish_time(at(3, **change)) == 2


def test_a_change_names_the_client_that_caused_it(publisher):
    publisher.publish_time(at(3))
    assert publisher.now.origin == "service"
    publisher.publish_time(PlayheadTime(origin="tool#1", sequence=99, mode="paused", frame=4))
    assert (publisher.now.origin, publisher.now.sequence) == ("tool#1", 2)


def test_the_present_is_repeated_under_its_old_number(publisher, listen):
    publisher.publish_time(
        PlayheadTime(origin="a#1", sequence=0, mode="paused", frame=4, hidden=frozenset("x"))
    )
    tool = listen(times=True)
    heard(tool)
    publisher.repeat_time()
    again = heard(tool)
    assert again.repeated
    assert (again.sequence, again.frame, again.origin, again.hidden) == (1, 4, "a#1", {"x"})


def test_events_count_up_within_their_topic(publisher, listen):
    tool = listen("log", "tools")
    for number in range(3):
        assert publisher.publish("log", LinesLogged(number, 0.0, [])) == number + 1
        assert publisher.publish("tools", ToolsChanged((str(number),)), "a#1") == number + 1
    result = [heard(tool) for _ in range(6)]
    assert [event.sequence for event in result] == [1, 1, 2, 2, 3, 3]
    assert {event.origin for event in result} == {"service", "a#1"}
    assert publisher.sequences == {**dict.fromkeys(TOPICS, 0), "log": 3, "tools": 3}


def test_a_tool_gets_the_topics_that_it_wants_and_no_others(publisher, listen):
    tool = listen("log")
    publisher.publish("tools", ToolsChanged(()))
    publisher.publish("span", SpanChanged(None))
    publisher.publish("log", LinesLogged(1, 0.0, []))
    assert heard(tool).event == LinesLogged(1, 0.0, [])


def test_it_is_known_what_anybody_wants(publisher, listen):
    assert not any(publisher.has_subscribers(topic) for topic in TOPICS)
    one, other = listen("trace"), listen("trace", "lo")
    # A subscriber's topics come one by one.
    wait_for(publisher, lambda: publisher.listen() and publisher.has_subscribers("log"))
    assert publisher.has_subscribers("trace")
    assert not publisher.has_subscribers("mark")
    one.close()
    other.unsubscribe("lo")
    wait_for(publisher, lambda: publisher.listen() and not publisher.has_subscribers("log"))
    assert publisher.has_subscribers("trace"), "the other still listens"
    other.close()
    wait_for(publisher, lambda: publisher.listen() and not publisher.has_subscribers("trace"))


def test_who_wants_everything_wants_each_topic(publisher, listen):
    listen("")
    assert all(publisher.has_subscribers(topic) for topic in TOPICS)


def test_subscriptions_to_what_there_is_not_take_no_memory(publisher, listen):
    tool = listen("log", *(f"nonsense {number}" for number in range(500)))
    wait_for(publisher, lambda: publisher.listen() and publisher.has_subscribers("log"))
    tool.subscribe("mark")
    wait_for(publisher, lambda: publisher.listen() and publisher.has_subscribers("mark"))
    assert set(publisher._subscribed) == {"log", "mark"}


def test_who_ends_what_never_began_or_says_anything_else_mutes_nobody(publisher, listen, context):
    rude = context.socket(zmq.XSUB)
    rude.linger = 0
    rude.connect(LOOPBACK.at(publisher.ports[0]).endpoint)
    for _ in range(3):
        rude.send(b"\x00trace")
    rude.send(b"trace")
    rude.send(b"?trace")
    rude.send(b"\x01changed")
    wait_for(publisher, lambda: publisher.listen() and publisher.has_subscribers("changed"))
    tool = listen("trace")
    assert publisher.has_subscribers("trace")
    rude.send(b"?trace")
    rude.send(b"\x01tools")
    wait_for(publisher, lambda: publisher.listen() and publisher.has_subscribers("tools"))
    assert publisher.has_subscribers("trace")
    rude.close()
    tool.close()


def test_a_slow_follower_gets_the_newest_event_and_a_fast_one_all(publisher, listen):
    slow, patient = listen(times=True, conflate=1), listen(times=True)
    heard(slow)
    for frame in range(1, 41):
        publisher.publish_time(at(frame))
    got = []
    while not got or got[-1] < 40:
        time = heard(patient)
        if not time.repeated:
            got.append(time.frame)
    assert got == list(range(1, 41))
    wait_for(publisher, lambda: slow.poll(0))
    last = heard(slow)
    while last.frame < 40:
        last = heard(slow)
    assert not slow.poll(0), "what was older is gone"


def test_who_does_not_read_loses_events_which_are_counted_and_others_lose_none(publisher, listen):
    lazy = listen("log", rcvhwm=1, rcvbuf=4096)
    eager = listen("log")
    text = "x" * 10_000
    read, sent = 0, 0
    while not publisher.counts["events_dropped"]:
        assert sent < 20_000, "nothing was ever dropped"
        publisher.publish("log", LinesLogged(sent, 0.0, [LogLine(text)]))
        sent += 1
        while eager.poll(0):
            read += 1
            assert heard(eager).sequence == read
    for _ in range(10):
        publisher.publish("log", LinesLogged(0, 0.0, [LogLine(text)]))
        sent += 1
    while read < sent:
        read += 1
        assert heard(eager).sequence == read
    got = 0
    while lazy.poll(200):
        got += 1
        assert heard(lazy).sequence == got, "what it could take is there and in order"
    assert 0 < got < sent
    publisher.publish("log", LinesLogged(0, 0.0, []))
    assert heard(lazy).sequence == sent + 1, "it hears on, and sees the gap"


def test_two_threads_may_tell_at_once(publisher, listen):
    tool = listen("log", "tools", rcvhwm=0)
    numbers: dict[str, list[int]] = {"log": [], "tools": []}

    def tell(topic: str, event: Any) -> None:
        for _ in range(500):
            publisher.publish(topic, event)

    threads = [
        threading.Thread(target=tell, args=pair)
        for pair in (("log", LinesLogged(1, 0.0, [])), ("tools", ToolsChanged(()))) * 2
    ]
    for thread in threads:
        thread.start()
    for _ in range(2000):
        event = heard(tool)
        numbers[event.event.__struct_config__.tag].append(event.sequence)
    for thread in threads:
        thread.join()
    assert numbers == {"log": list(range(1, 1001)), "tools": list(range(1, 1001))}


def test_a_subscription_that_is_too_long_ends_its_connection_only(publisher, listen):
    rude, tool = listen("log"), listen("log")
    rude.subscribe("x" * 5000)
    publisher.publish("log", LinesLogged(1, 0.0, []))
    assert heard(tool).sequence == 1


def test_it_is_silent_once_it_is_closed(publisher):
    publisher.close()
    assert publisher.publish("log", LinesLogged(1, 0.0, [])) == 1
    assert publisher.publish_time(at(3)) == 1
    publisher.repeat_time()
    assert publisher.listen() == (False, False)
    assert publisher.counts["events"] == 0


def test_it_is_heard_within_the_process_too(context):
    publisher = Publisher(context, "service")
    publisher.bind_inside("me")
    with context.socket(zmq.SUB) as events, context.socket(zmq.SUB) as times:
        for socket, what in ((events, "events"), (times, "times")):
            socket.linger = 0
            socket.subscribe("")
            socket.connect(f"inproc://me-{what}")
        wait_for(publisher, lambda: publisher.listen()[1] or publisher.has_subscribers("log"))
        publisher.publish("log", LinesLogged(1, 0.0, []))
        publisher.publish_time(at(3))
        assert heard(events).sequence == 1
        assert heard(times).frame in (0, 3)
    publisher.close()
