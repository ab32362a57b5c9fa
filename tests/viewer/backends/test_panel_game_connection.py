"""A panel's connection to a game: calls in their order, the newest request, and the state."""

import queue
import threading
from types import SimpleNamespace

import pytest

from playhead.bus.messages.events import ValuePublished
from playhead.errors import BusError, CommandError, GameError
from playhead.viewer.backends.panel_game_connection import PanelCallResult, PanelConnection

from ...support.waits import LIMIT, until

NAME = "arena"


class Game:
    """A client of a game that answers a call when the test says so."""

    def __init__(self):
        self.calls = queue.SimpleQueue()
        self.answers = queue.SimpleQueue()
        self.callbacks = {}
        self.closed = False
        self.handles = []

    def on(self, topic, callback):
        self.callbacks[topic] = callback

    def call(self, name, body=None, timeout=None):
        assert name == NAME
        self.calls.put(body)
        answer = self.answers.get(timeout=LIMIT)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def dispatch(self, timeout=0.0):
        return 0

    def close(self):
        self.closed = True

    def publish(self, name, body):
        self.callbacks["published"](SimpleNamespace(event=ValuePublished(name, body)))

    def next_call(self):
        return self.calls.get(timeout=LIMIT)


@pytest.fixture
def game():
    return Game()


@pytest.fixture
def connection(game):
    """Makes a connection, by default to `game` and without a state."""
    made, updates = [], threading.Semaphore(0)

    def start(connect=lambda: game, parse_state=None):
        one = PanelConnection(connect, updates.release, NAME, parse_state)
        one.wait_for_update = lambda: updates.acquire(timeout=LIMIT)
        made.append(one)
        return one

    yield start
    for one in made:
        for _ in range(8):
            game.answers.put({})
        one.close()


# --- calls ---------------------------------------------------------------------------------------


def test_without_a_state_the_client_connects_for_the_first_call(connection, game):
    connected = []
    one = connection(lambda: connected.append(1) or game)
    one.cancel_latest()
    assert one.take() == (None, [])
    assert not connected
    one.send({"order": "free"})
    assert game.next_call() == {"order": "free"}
    assert connected == [1]


def test_calls_run_in_their_order_and_their_errors_are_reported(connection, game):
    one = connection()
    one.send({"order": "free"})
    one.send({"order": "stay"})
    assert game.next_call() == {"order": "free"}
    game.answers.put(GameError("FreeMode: there is no enemy"))
    assert one.wait_for_update()
    error = PanelCallResult({"order": "free"}, None, "FreeMode: there is no enemy")
    assert one.take() == (None, [error])
    assert game.next_call() == {"order": "stay"}
    game.answers.put({"done": True})
    assert one.wait_for_update()
    assert one.take() == (None, [PanelCallResult({"order": "stay"}, {"done": True}, "")])


def test_a_call_replaces_the_last_one_that_waits_with_the_same_key(connection, game):
    one = connection()
    one.send({"order": "free"})
    assert game.next_call() == {"order": "free"}
    for value in (0.1, 0.2, 0.3):
        one.send({"goto": value}, key="goto")
    one.send({"attack": 0.4}, key="attack")
    one.send({"goto": 0.5}, key="goto")
    game.answers.put({})
    for command in ({"goto": 0.3}, {"attack": 0.4}, {"goto": 0.5}):
        assert game.next_call() == command
        game.answers.put({})


def test_of_the_latest_requests_only_the_newest_is_called(connection, game):
    one = connection()
    one.request_latest({"x": 1}, context="first")
    assert game.next_call() == {"x": 1}
    for x in (2, 3, 4):
        one.request_latest({"x": x}, context=x)
    game.answers.put("a")
    assert game.next_call() == {"x": 4}
    game.answers.put("b")
    assert one.wait_for_update()
    assert one.wait_for_update()
    assert one.take()[1] == [
        PanelCallResult({"x": 1}, "a", "", "first"), PanelCallResult({"x": 4}, "b", "", 4),
    ]  # fmt: skip


def test_other_calls_run_before_the_latest_request(connection, game):
    one = connection()
    one.send({"order": "free"})
    game.next_call()
    one.request_latest({"order": "preview"})
    one.send({"order": "stay"})
    game.answers.put({})
    assert game.next_call() == {"order": "stay"}
    game.answers.put({})
    assert game.next_call() == {"order": "preview"}


def test_a_latest_request_that_waits_can_be_cancelled(connection, game):
    one = connection()
    one.send({"order": "free"})
    game.next_call()
    one.request_latest({"order": "preview"})
    one.cancel_latest()
    one.send({"order": "stay"})
    game.answers.put({})
    assert game.next_call() == {"order": "stay"}
    game.answers.put({})
    assert one.wait_for_update()
    assert one.wait_for_update()
    assert game.calls.empty()


def test_without_a_game_a_call_fails_and_the_next_one_connects_again(connection, game):
    tries = []

    def connect():
        tries.append(1)
        if len(tries) == 1:
            raise BusError("nobody answers")
        return game

    one = connection(connect)
    one.send({"order": "free"})
    assert one.wait_for_update()
    assert one.take()[1] == [PanelCallResult({"order": "free"}, None, "nobody answers")]
    one.send({"order": "free"})
    assert game.next_call() == {"order": "free"}


def test_closing_ends_the_client(connection, game):
    one = connection()
    one.send({"order": "free"})
    game.answers.put({})
    assert one.wait_for_update()
    one.close()
    assert game.closed


# --- the state -----------------------------------------------------------------------------------


def test_the_newest_published_state_is_taken_once(connection, game):
    one = connection(parse_state=lambda body: body if isinstance(body, int) else None)
    until(lambda: game.callbacks)
    game.publish("another name", 1)
    game.publish(NAME, "malformed")
    assert one.take() == (None, [])
    game.publish(NAME, 2)
    game.publish(NAME, 3)
    assert one.take() == (3, [])
    assert one.take() == (None, [])


def test_with_a_state_the_client_connects_until_the_game_is_there(connection, game):
    tries = []

    def connect():
        tries.append(1)
        if len(tries) == 1:
            raise BusError("nobody answers")
        return game

    one = connection(connect, parse_state=int)
    one.send({"order": "free"})
    assert game.next_call() == {"order": "free"}
    assert len(tries) == 2


def test_with_a_state_a_recording_is_an_error_without_a_call(connection):
    def connect():
        raise CommandError("run.mcap is a recording")

    one = connection(connect, parse_state=int)
    assert one.wait_for_update()
    assert one.take() == (None, [PanelCallResult(None, None, "run.mcap is a recording")])
