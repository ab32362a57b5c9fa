"""Orders on their way to an arena: one after another, and of previews only the newest."""

import queue
import threading

import pytest

from playhead.errors import BusError, GameError
from playhead.viewer.panels.arena.arena_connection import ArenaConnection, OrderResult
from playhead.viewer.panels.arena.arena_model import (
    PlacementGhost,
    PlacementPreview,
    PlacementTool,
    odds_order,
)

from ....support.waits import LIMIT

ENEMY = PlacementTool("enemy")
ANSWER = {"walls": [], "enemies": [[1.0, 2.0]], "firebase": None, "diameter": 0.0, "refused": ""}


class Game:
    """Stands for the client of a game that answers when it is let."""

    def __init__(self):
        self.asked = queue.SimpleQueue()
        self.answers = queue.SimpleQueue()
        self.closed = False
        self.handles = []

    def call(self, name, body=None, timeout=None):
        assert name == "arena"
        self.asked.put(body)
        answer = self.answers.get(timeout=LIMIT)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def dispatch(self, timeout=0.0):
        return 0

    def close(self):
        self.closed = True


@pytest.fixture
def game():
    return Game()


@pytest.fixture
def line(game):
    made, rung = [], threading.Semaphore(0)

    def start(connect=lambda: game):
        one = ArenaConnection(connect, rung.release)
        one.rung = lambda: rung.acquire(timeout=LIMIT)
        made.append(one)
        return one

    yield start
    for one in made:
        for _ in range(8):
            game.answers.put(ANSWER)
        one.close()


def test_nobody_is_connected_before_something_is_wanted(line):
    def connect():
        raise AssertionError("nothing was wanted")

    one = line(connect)
    one.ask(None)
    assert one.take() == ([], None)


def test_orders_are_carried_out_in_their_order_and_refusals_are_told(line, game):
    one = line()
    one.send({"order": "free"})
    one.send({"order": "stay"})
    assert game.asked.get(timeout=LIMIT) == {"order": "free"}
    game.answers.put(GameError("FreeMode: there is no enemy"))
    assert one.rung()
    assert one.take()[0] == [OrderResult({"order": "free"}, "FreeMode: there is no enemy")]
    assert game.asked.get(timeout=LIMIT) == {"order": "stay"}
    game.answers.put({})
    assert one.rung()
    assert one.take()[0] == [OrderResult({"order": "stay"}, "")]


def test_of_changes_of_one_probability_only_the_newest_that_waits_is_sent(line, game):
    one = line()
    one.send({"order": "free"})
    assert game.asked.get(timeout=LIMIT) == {"order": "free"}
    for value in (0.1, 0.2, 0.3):
        one.send(odds_order("goto", 1, value))
    one.send(odds_order("goto", 2, 0.4))
    one.send(odds_order("attack", 2, 0.5))
    game.answers.put({})
    for wanted in (("goto", 1, 0.3), ("goto", 2, 0.4), ("attack", 2, 0.5)):
        assert game.asked.get(timeout=LIMIT) == odds_order(*wanted)
        game.answers.put({})


def test_of_previews_only_the_newest_is_asked_for(line, game):
    one = line()
    one.ask(PlacementGhost(ENEMY, (1.0, 1.0)))
    assert game.asked.get(timeout=LIMIT)["of"]["x"] == 1.0
    for x in (2.0, 3.0, 4.0):
        one.ask(PlacementGhost(ENEMY, (x, 1.0)))
    game.answers.put(ANSWER)
    assert game.asked.get(timeout=LIMIT) == {"order": "preview", "of": ENEMY.order(4.0, 1.0)}
    game.answers.put({**ANSWER, "refused": "in a wall"})
    assert one.rung()
    assert one.rung()
    _, seen = one.take()
    assert (seen.at, seen.asked, seen.refused) == ((4.0, 1.0), (4.0, 1.0), "in a wall")
    assert seen.preview == PlacementPreview((), ((1.0, 2.0),), None, 0.0, "in a wall")


def test_an_order_goes_before_a_preview(line, game):
    one = line()
    one.send({"order": "free"})
    game.asked.get(timeout=LIMIT)
    one.ask(PlacementGhost(ENEMY, (1.0, 1.0)))
    one.send({"order": "stay"})
    game.answers.put({})
    assert game.asked.get(timeout=LIMIT) == {"order": "stay"}
    game.answers.put({})
    assert game.asked.get(timeout=LIMIT)["order"] == "preview"


@pytest.mark.parametrize("answer", [{"walls": 3}, None, GameError("no such block")])
def test_a_preview_that_can_not_be_had_is_refused_with_the_reason(line, game, answer):
    one = line()
    one.ask(PlacementGhost(ENEMY, (1.0, 1.0)))
    game.asked.get(timeout=LIMIT)
    game.answers.put(answer)
    assert one.rung()
    seen = one.take()[1]
    assert seen.preview is None
    assert seen.is_known
    assert "no such block" in seen.refused or "makes no sense" in seen.refused


def test_a_game_that_is_not_there_is_told_and_looked_for_with_the_next_order(line, game):
    tries = []

    def connect():
        tries.append(1)
        if len(tries) == 1:
            raise BusError("nobody answers")
        return game

    one = line(connect)
    one.send({"order": "free"})
    assert one.rung()
    assert one.take()[0] == [OrderResult({"order": "free"}, "nobody answers")]
    one.send({"order": "free"})
    assert game.asked.get(timeout=LIMIT) == {"order": "free"}


def test_closing_ends_the_client(line, game):
    one = line()
    one.send({"order": "free"})
    game.answers.put({})
    assert one.rung()
    one.close()
    assert game.closed
