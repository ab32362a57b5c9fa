"""The retained: the newest of each name, whoever listens, however slowly, whenever they came."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import zmq

from playhead.bus.messages.address import Address
from playhead.bus.messages.events import ValuePublished
from playhead.bus.messages.message_types import Event
from playhead.bus.messages.msgpack_codec import event_of
from playhead.bus.messages.plain_values import MOST_BODY, MOST_NAMES
from playhead.bus.server import retained_topics as module
from playhead.bus.server.retained_topics import OLDER_TOPIC, QUEUED, RetainedTopics
from playhead.errors import CapacityError, RecordingError

LOOPBACK = Address("127.0.0.1", 0)
LIMIT = 90_000
"""Milliseconds."""


@pytest.fixture
def context() -> Iterator[Any]:
    with zmq.Context() as made:
        yield made


@pytest.fixture
def retained(context: Any) -> Iterator[RetainedTopics]:
    made = RetainedTopics(context, "service")
    made.port = made.bind(LOOPBACK, "inproc://a-told")
    yield made
    made.close()


@pytest.fixture
def listen(context: Any, retained: RetainedTopics) -> Iterator[Callable[..., Any]]:
    """Subscribe; returns when the retained knows, and has told what there is."""
    made = []

    def subscribe(prefix: str = "published", **options: Any) -> Any:
        socket = context.socket(zmq.SUB)
        made.append(socket)
        socket.linger = 0
        for name, value in options.items():
            setattr(socket, name, value)
        socket.connect(LOOPBACK.at(retained.port).endpoint)
        socket.subscribe(prefix)
        poller = zmq.Poller()
        poller.register(retained.handle, zmq.POLLIN)
        for _ in range(LIMIT // 10):
            if retained.listen():
                retained.repeat(everything=True)
                return socket
            poller.poll(10)
        pytest.fail("nobody subscribed in time")

    yield subscribe
    for socket in made:
        socket.close()


def heard(socket: Any) -> Event:
    assert socket.poll(LIMIT), "nothing came"
    topic, message = socket.recv_multipart()
    assert topic == b"published"
    return event_of(message)


def test_the_newest_value_of_a_name_is_retained_with_its_frame(retained):
    assert retained.newest("a") is None
    retained.publish("a", {"n": 1}, 0.5, 3)
    retained.publish("b", [2], 0.75, 4)
    retained.publish("a", {"n": 3}, 1.0, 5)
    assert retained.newest("a") == ValuePublished("a", {"n": 3}, 1.0, 5)
    assert retained.newest("b") == ValuePublished("b", [2], 0.75, 4)
    assert retained.names == ("a", "b")


def test_what_the_game_does_with_a_body_afterwards_changes_nothing(retained, listen):
    body = {"things": [1]}
    retained.publish("a", body, 0.0, 0)
    body["things"].append(2)
    assert retained.newest("a").body == {"things": [1]}
    assert heard(listen()).event.body == {"things": [1]}


def test_nothing_is_sent_while_nobody_listens(retained, listen):
    for number in range(100):
        retained.publish("a", number, 0.0, 0)
    retained.repeat(everything=True)
    assert retained.counts["published"] == 0
    tool = listen()
    assert heard(tool).event.body == 99
    tool.unsubscribe("published")
    for _ in range(LIMIT // 10):
        retained.listen()
        sent = retained.counts["published"]
        retained.publish("a", 0, 0.0, 0)
        if retained.counts["published"] == sent:
            return
    pytest.fail("it is still told")


def test_listeners_get_each_value_at_once_and_newcomers_the_retained_ones(retained, listen):
    retained.publish("a", 1, 0.0, 0)
    first = listen()
    assert heard(first).event == ValuePublished("a", 1, 0.0, 0)
    retained.publish("b", 2, 0.5, 1)
    assert [heard(first).event.name] == ["b"]
    second = listen()
    assert {heard(second).event.name for _ in range(2)} == {"a", "b"}
    retained.publish("a", 3, 0.5, 1)
    assert heard(second).event == ValuePublished("a", 3, 0.5, 1)


def test_numbers_count_up_over_all_names_and_stay_when_a_value_is_repeated(retained, listen):
    tool = listen()
    for name in "aba":
        retained.publish(name, None, 0.0, 0)
    retained.repeat(everything=True)
    result = [(heard(tool).sequence, one) for one in range(5)]
    assert [sequence for sequence, _ in result] == [1, 2, 3, 3, 2]
    assert retained.sequence == 3


def test_only_values_that_were_not_sent_for_a_while_are_repeated(retained, listen, monkeypatch):
    tool = listen()
    retained.publish("a", 1, 0.0, 0)
    retained.repeat()
    assert retained.counts["published"] == 1
    monkeypatch.setattr(module, "AGAIN", 0.0)
    retained.repeat()
    assert [heard(tool).sequence for _ in range(2)] == [1, 1]


def test_who_subscribes_to_something_else_hears_nothing_and_costs_nothing(retained, context):
    socket = context.socket(zmq.SUB)
    socket.linger = 0
    socket.connect(LOOPBACK.at(retained.port).endpoint)
    for other in ("x", "published/a", "publisheds", "failed_check"):
        socket.subscribe(other)
    assert zmq.select([retained.handle], [], [], LIMIT / 1000)[0]
    assert not retained.listen()
    retained.publish("a", 1, 0.0, 0)
    assert retained.counts["published"] == 0
    socket.close()


def test_a_subscriber_that_never_reads_holds_up_nobody_and_is_counted(retained, listen):
    deaf, tool = listen(rcvhwm=1, rcvbuf=4096), listen()
    body = "x" * (MOST_BODY // 4)
    for number in range(20 * QUEUED):
        retained.publish("a", [number, body], 0.0, 0)
        assert heard(tool).event.body[0] == number
        if retained.counts["dropped"]:
            break
    assert retained.counts["dropped"], "its queue has no end"
    retained.publish("a", ["the newest"], 0.0, 0)
    while heard(tool).event.body[0] != "the newest":
        pass
    # Once it reads again it gets what it had no room for, as it is said again.
    result = ""
    while result != "the newest":
        if not deaf.poll(0):
            retained.repeat(everything=True)
        result = heard(deaf).event.body[0]


def test_what_is_refused_changes_nothing(retained, listen):
    tool = listen()
    retained.publish("a", 1, 0.0, 0)
    for name, body, error in (
        ("a", object(), RecordingError),
        ("a", "x" * MOST_BODY, CapacityError),
        ("", 1, RecordingError),
        (3, 1, RecordingError),
    ):
        with pytest.raises(error, match="^publish "):
            retained.publish(name, body, 0.0, 0)
    assert retained.newest("a").body == 1
    assert retained.names == ("a",)
    assert heard(tool).sequence == retained.sequence == 1
    assert not tool.poll(0)


def test_there_are_so_many_names_and_no_more(retained):
    for number in range(MOST_NAMES):
        retained.publish(f"n{number}", number, 0.0, 0)
    with pytest.raises(CapacityError, match=f"publish 'more': {MOST_NAMES} names"):
        retained.publish("more", 1, 0.0, 0)
    retained.publish("n0", "again", 0.0, 0)
    assert retained.newest("n0").body == "again"
    assert len(retained.names) == MOST_NAMES


def test_threads_that_publish_at_once_lose_no_number(retained, listen):
    tool = listen()

    def publish(name: str) -> None:
        for number in range(20):
            retained.publish(name, number, 0.0, 0)

    threads = [threading.Thread(target=publish, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    result = [heard(tool) for _ in range(80)]
    assert [event.sequence for event in result] == list(range(1, 81))
    for name in "abcd":
        assert [one.event.body for one in result if one.event.name == name] == list(range(20))


def test_after_its_end_nothing_is_sent_and_nothing_breaks(retained, listen):
    listen()
    retained.close()
    retained.publish("a", 1, 0.0, 0)
    retained.repeat(everything=True)
    assert not retained.listen()
    assert retained.newest("a").body == 1


def test_what_is_no_subscription_is_passed_over(retained, listen, context):
    rude = context.socket(zmq.XSUB)
    rude.linger = 0
    rude.connect(LOOPBACK.at(retained.port).endpoint)
    rude.send(b"?published")
    rude.send(b"\x01else")
    tool = listen()
    retained.publish("a", 1, 0.0, 0)
    assert heard(tool).event.body == 1
    assert retained.counts["published"] == 1
    rude.close()


def test_what_a_peer_of_version_1_has_no_room_for_is_counted_too(retained, listen, monkeypatch):
    listen(OLDER_TOPIC)
    monkeypatch.setattr(module, "send_or_drop", lambda socket, parts: parts[0] == b"told")
    retained.publish("a", 1, 0.0, 0)
    assert retained.counts["dropped"] == 1
