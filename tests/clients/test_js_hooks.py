"""Hooks set from JavaScript: on a recorded field, by id and name, and what is wrong with others."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from ..games.remote.game import Served, served
from ..support.process import Process
from ..support.waits import LIMIT, until
from .test_browser import NODE, needs_node

HERE = Path(__file__).parent
CLIENT = HERE.parents[1] / "clients" / "js" / "playhead.js"
pytestmark = needs_node


class Game:
    """A game in JavaScript that is told what to do, line by line."""

    def __init__(self, process: Process, serving: Served) -> None:
        self.process, self.serving = process, serving

    def __call__(self, act: str, *given: Any) -> Any:
        self.process.say(json.dumps([act, *given]))
        return json.loads(self.process.line(limit=LIMIT))

    def newest(self, frame: int) -> None:
        """Wait until a frame is recorded."""
        until(lambda: (span := self.serving.session.source.span) and span.newest >= frame)


@pytest.fixture(scope="module")
def game() -> Iterator[Game]:
    assert NODE is not None
    with ExitStack() as held:
        serving = held.enter_context(served())
        process = Process(*NODE, HERE / "programs" / "control.mjs", CLIENT, serving.url, talks=True)
        held.callback(process.close)
        assert json.loads(process.line(limit=LIMIT)) == "there"
        made = Game(process, serving)
        made("run", 2)
        made("name", 7, "north")
        made("run", 1)
        made.newest(3)
        yield made


@pytest.fixture(autouse=True)
def _without_hooks(game: Game) -> Iterator[None]:
    yield
    game("hooks.clear")


def test_a_break_on_a_field_pauses_the_game_which_then_goes_on(game):
    made = game("hooks.breakAt", "north", {"field": "hp", "when": "hp > 4", "times": 1})
    assert (made["hook"]["object"], made["state"], made["hits"]) == (7, "armed", 0)
    game("run", 1)
    game.newest(4)
    assert game("state")["mode"] == "live"
    game("run", 1)
    game.newest(5)
    until(lambda: game("state")["mode"] == "paused")
    [hit] = game("hooks.list")
    assert (hit["id"], hit["hits"], hit["last"], hit["state"]) == (made["id"], 1, 5, "done")
    assert game("leave")["mode"] == "live"
    game("run", 1)
    game.newest(6)
    assert game("state")["mode"] == "live"


def test_hooks_are_listed_disabled_removed_and_cleared(game):
    first = game("hooks.trace", 7, {"field": "hp"})
    second = game("hooks.mock", 7, {"field": "hp", "results": [1, 2]})
    third = game("hooks.replace", 7, {"node": "shoot", "tree": "mind", "result": "failure"})
    rule = game("hooks.breakAt", 7, {"rule": "sees", "machine": "guard", "at": "after"})
    assert third["hook"]["location"] == {"on": "node", "name": "shoot", "tree": "mind"}
    assert rule["hook"]["location"] == {"on": "rule", "name": "sees", "machine": "guard"}
    game("hooks.disable", first)
    game("hooks.remove", second["id"])
    assert [(one["id"], one["state"]) for one in game("hooks.list")] == [
        (first["id"], "disabled"), (third["id"], "waiting"), (rule["id"], "waiting"),
    ]  # fmt: skip
    game("hooks.enable", first["id"])
    game("hooks.clear")
    assert game("hooks.list") == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("hooks.breakAt", 7), "not none of them"),
        (("hooks.breakAt", 7, {"node": "a", "field": "hp"}), "not node and field"),
        (("hooks.breakAt", 7, {"feld": "hp"}), "there is no option feld"),
        (("hooks.breakAt", 7, {"field": "hp", "tree": "mind"}), "tree is for nodes"),
        (("hooks.breakAt", 7, {"transition": "Patrol"}), "write 'Patrol -> Chase'"),
        (("hooks.breakAt", 7, {"field": "hq"}), "no field 'hq'"),
        (("hooks.breakAt", 7, {"field": "hp", "when": "hp <"}), "when 'hp <': invalid syntax"),
        (("hooks.breakAt", "south", {"field": "hp"}), "no object has this name; there are north"),
        (("hooks.mock", 7, {"field": "hp", "results": []}), "the list of results is empty"),
        (("hooks.remove", 999), "hook 999: it is not set"),
        (("edits.set", 7, "hp", 3), "the game runs"),
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_is_set(game, given, said):
    answer = game(*given)
    assert answer["kind"] in ("command", "malformed"), answer
    assert said in answer["message"]
    assert game("hooks.list") == []
