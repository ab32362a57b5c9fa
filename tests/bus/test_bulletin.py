"""The bulletin: the newest of each name, whoever listens, however slowly, whenever they came."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import zmq

from playhead.bus import bulletin as module
from playhead.bus.address import Address
from playhead.bus.bulletin import QUEUED, Bulletin
from playhead.bus.happenings import Told
from playhead.bus.plain import MOST_BODY, MOST_NAMES
from playhead.bus.protocol import Event
from playhead.bus.wire import event_of
from playhead.errors import CapacityError, RecordingError

LOOPBACK = Address("127.0.0.1", 0)
LIMIT = 90_000
"""Milliseconds."""


@pytest.fixture
def context() -> Iterator[Any]:
    with zmq.Context() as made:
        yield made


@pytest.fixture
def bulletin(context: Any) -> Iterator[Bulletin]:
    made = Bulletin(context, "service")
    made.port = made.bind(LOOPBACK, "inproc://a-told")
    yield made
    made.close()


@pytest.fixture
def listen(context: Any, bulletin: Bulletin) -> Iterator[Callable[..., Any]]:
    """Subscribe; returns when the bulletin knows, and has told what there is."""
    made = []

    def subscribe(prefix: str = "told", **options: Any) -> Any:
        socket = context.socket(zmq.SUB)
        made.append(socket)
        socket.linger = 0
        for name, value in options.items():
            setattr(socket, name, value)
        socket.connect(LOOPBACK.at(bulletin.port).endpoint)
        socket.subscribe(prefix)
        poller = zmq.Poller()
        poller.register(bulletin.handle, zmq.POLLIN)
        for _ in range(LIMIT // 10):
            if bulletin.listen():
                bulletin.repeat(everything=True)
                return socket
            poller.poll(10)
        pytest.fail("nobody subscribed in time")

    yield subscribe
    for socket in made:
        socket.close()


def heard(socket: Any) -> Event:
    assert socket.poll(LIMIT), "nothing came"
    topic, message = socket.recv_multipart()
    assert topic == b"told"
    return event_of(message)


def test_the_newest_of_a_name_is_kept_with_its_frame(bulletin):
    assert bulletin.newest("a") is None
    bulletin.publish("a", {"n": 1}, 0.5, 3)
    bulletin.publish("b", [2], 0.75, 4)
    bulletin.publish("a", {"n": 3}, 1.0, 5)
    assert bulletin.newest("a") == Told("a", {"n": 3}, 1.0, 5)
    assert bulletin.newest("b") == Told("b", [2], 0.75, 4)
    assert bulletin.names == ("a", "b")


def test_what_the_game_does_with_a_body_afterwards_changes_nothing(bulletin, listen):
    body = {"things": [1]}
    bulletin.publish("a", body, 0.0, 0)
    body["things"].append(2)
    assert bulletin.newest("a").body == {"things": [1]}
    assert heard(listen()).event.body == {"things": [1]}


def test_nothing_is_sent_while_nobody_listens(bulletin, listen):
    for number in range(100):
        bulletin.publish("a", number, 0.0, 0)
    bulletin.repeat(everything=True)
    assert bulletin.counts["told"] == 0
    tool = listen()
    assert heard(tool).event.body == 99
    tool.unsubscribe("told")
    for _ in range(LIMIT // 10):
        bulletin.listen()
        sent = bulletin.counts["told"]
        bulletin.publish("a", 0, 0.0, 0)
        if bulletin.counts["told"] == sent:
            return
    pytest.fail("it is still told")


def test_all_who_listen_are_told_each_at_once_and_who_comes_gets_what_there_is(bulletin, listen):
    bulletin.publish("a", 1, 0.0, 0)
    first = listen()
    assert heard(first).event == Told("a", 1, 0.0, 0)
    bulletin.publish("b", 2, 0.5, 1)
    assert [heard(first).event.name] == ["b"]
    second = listen()
    assert {heard(second).event.name for _ in range(2)} == {"a", "b"}
    bulletin.publish("a", 3, 0.5, 1)
    assert heard(second).event == Told("a", 3, 0.5, 1)


def test_numbers_count_up_over_all_names_and_stay_when_it_is_said_again(bulletin, listen):
    tool = listen()
    for name in "aba":
        bulletin.publish(name, None, 0.0, 0)
    bulletin.repeat(everything=True)
    told = [(heard(tool).sequence, one) for one in range(5)]
    assert [sequence for sequence, _ in told] == [1, 2, 3, 3, 2]
    assert bulletin.sequence == 3


def test_only_what_was_not_said_for_a_while_is_said_again(bulletin, listen, monkeypatch):
    tool = listen()
    bulletin.publish("a", 1, 0.0, 0)
    bulletin.repeat()
    assert bulletin.counts["told"] == 1
    monkeypatch.setattr(module, "AGAIN", 0.0)
    bulletin.repeat()
    assert [heard(tool).sequence for _ in range(2)] == [1, 1]


def test_who_subscribes_to_something_else_hears_nothing_and_costs_nothing(bulletin, context):
    socket = context.socket(zmq.SUB)
    socket.linger = 0
    socket.connect(LOOPBACK.at(bulletin.port).endpoint)
    for other in ("x", "told/a", "tolds", "check"):
        socket.subscribe(other)
    assert zmq.select([bulletin.handle], [], [], LIMIT / 1000)[0]
    assert not bulletin.listen()
    bulletin.publish("a", 1, 0.0, 0)
    assert bulletin.counts["told"] == 0
    socket.close()


def test_a_subscriber_that_never_reads_holds_up_nobody_and_is_counted(bulletin, listen):
    deaf, tool = listen(rcvhwm=1, rcvbuf=4096), listen()
    body = "x" * (MOST_BODY // 4)
    for number in range(20 * QUEUED):
        bulletin.publish("a", [number, body], 0.0, 0)
        assert heard(tool).event.body[0] == number
        if bulletin.counts["dropped"]:
            break
    assert bulletin.counts["dropped"], "its queue has no end"
    bulletin.publish("a", ["the newest"], 0.0, 0)
    while heard(tool).event.body[0] != "the newest":
        pass
    # Once it reads again it gets what it had no room for, as it is said again.
    told = ""
    while told != "the newest":
        if not deaf.poll(0):
            bulletin.repeat(everything=True)
        told = heard(deaf).event.body[0]


def test_what_is_refused_changes_nothing(bulletin, listen):
    tool = listen()
    bulletin.publish("a", 1, 0.0, 0)
    for name, body, error in (
        ("a", object(), RecordingError),
        ("a", "x" * MOST_BODY, CapacityError),
        ("", 1, RecordingError),
        (3, 1, RecordingError),
    ):
        with pytest.raises(error, match="^publish "):
            bulletin.publish(name, body, 0.0, 0)
    assert bulletin.newest("a").body == 1
    assert bulletin.names == ("a",)
    assert heard(tool).sequence == bulletin.sequence == 1
    assert not tool.poll(0)


def test_there_are_so_many_names_and_no_more(bulletin):
    for number in range(MOST_NAMES):
        bulletin.publish(f"n{number}", number, 0.0, 0)
    with pytest.raises(CapacityError, match=f"publish 'more': {MOST_NAMES} names"):
        bulletin.publish("more", 1, 0.0, 0)
    bulletin.publish("n0", "again", 0.0, 0)
    assert bulletin.newest("n0").body == "again"
    assert len(bulletin.names) == MOST_NAMES


def test_threads_that_publish_at_once_lose_no_number(bulletin, listen):
    tool = listen()

    def publish(name: str) -> None:
        for number in range(20):
            bulletin.publish(name, number, 0.0, 0)

    threads = [threading.Thread(target=publish, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told = [heard(tool) for _ in range(80)]
    assert [event.sequence for event in told] == list(range(1, 81))
    for name in "abcd":
        assert [one.event.body for one in told if one.event.name == name] == list(range(20))


def test_after_its_end_nothing_is_sent_and_nothing_breaks(bulletin, listen):
    listen()
    bulletin.close()
    bulletin.publish("a", 1, 0.0, 0)
    bulletin.repeat(everything=True)
    assert not bulletin.listen()
    assert bulletin.newest("a").body == 1
