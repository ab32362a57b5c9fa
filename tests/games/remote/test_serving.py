"""What a game on the gateway serves, publishes, and is played with."""

import contextlib
import math
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from playhead.bus.client.client import Client
from playhead.bus.gateway import gateway_connection as connection_module
from playhead.bus.messages import json_codec as json_text
from playhead.bus.messages.requests import HoldPad
from playhead.errors import BusyError, CommandError, DamagedError, GameError
from playhead.games.remote import served_call_forwarding as calls_module
from playhead.playback.pads.pad import Button, Pad

from ...support.waits import until
from .game import GUARD, Game, Peer, Served


class Calls(threading.Thread):
    """A call that waits in a thread of its own for its answer, or its error."""

    def __init__(self, serving: Served, name: str, argument: Any = None) -> None:
        super().__init__(name="caller")
        self._serving, self._call = serving, (name, argument)
        self.result: Any = None
        self.error: Exception | None = None
        self.start()

    def run(self) -> None:
        with self._serving.client() as client:
            try:
                self.result = client.call(*self._call)
            except Exception as error:
                self.error = error


@contextlib.contextmanager
def calling(serving: Served, name: str, argument: Any = None) -> Iterator[Calls]:
    calls = Calls(serving, name, argument)
    yield calls
    calls.join()


@pytest.fixture
def player(serving: Served) -> Iterator[Game]:
    with Game(serving.url, pads=2) as player:
        player.frame({7: (GUARD, 5)})
        yield player


def test_a_tool_calls_what_the_game_serves(serving, game):
    game.ask(do="serve", names=["double"])
    with calling(serving, "double", {"of": 4}) as calls:
        order = game.order()
        assert order == {"order": "call", "call": 1, "name": "double", "argument": {"of": 4}}
        game.say(do="return", call=1, result={"is": 8})
    assert calls.result == {"is": 8}


@pytest.mark.parametrize(("refused", "kind"), [(True, CommandError), (False, GameError)])
def test_what_the_game_can_not_do_is_an_error_with_its_words(serving, game, refused, kind):
    game.ask(do="serve", names=["jump"])
    with calling(serving, "jump") as calls:
        order = game.order()
        game.say(do="return", call=order["call"], error="too high", refused=refused)
    assert type(calls.error) is kind
    assert str(calls.error) == "call 'jump': too high"


def test_a_call_reaches_a_paused_game(serving, game, director):
    game.ask(do="serve", names=["mode"])
    game.frame({7: (GUARD, 5)})
    entering = director.post(do="enter")
    game.pauses()
    assert director.answer(entering)["is"] == "state"
    with calling(serving, "mode") as calls:
        while (order := game.order())["order"] != "call":
            if order["order"] == "show" and order["image"]:
                game.bytes()
        game.say(do="return", call=order["call"], result="paused")
    assert calls.result == "paused"


def test_a_game_that_goes_owes_nobody_an_answer(serving, game, tool):
    game.ask(do="serve", names=["slow"])
    with calling(serving, "slow") as calls:
        assert game.order()["order"] == "call"
        game.kill()
    assert isinstance(calls.error, GameError)
    assert "the game went before it answered" in str(calls.error)
    with pytest.raises(CommandError, match="there are none"):
        tool.call("slow")


def test_what_is_served_no_longer_can_not_be_called(game, tool):
    game.ask(do="serve", names=["a", "b"])
    game.ask(do="serve", names=["b"])
    with pytest.raises(CommandError, match="'a': .*: there is only b$"):
        tool.call("a")


@pytest.mark.parametrize("names", [[""], ["x" * 65], [f"n{n}" for n in range(65)]])
def test_names_that_are_none_are_refused(game, names):
    assert game.ask(do="serve", names=names)["is"] == "error"


def test_a_result_that_nobody_waits_for_is_refused_and_so_is_a_second_one(serving, game):
    assert game.ask(do="return", call=5, result=1)["kind"] == "command"
    game.ask(do="serve", names=["a"])
    with calling(serving, "a") as calls:
        number = game.order()["call"]
        assert game.ask(do="return", call=number, result=1) == {"is": "done"}
        answer = game.ask(do="return", call=number, result=2)
        assert f"no call {number} waits" in answer["message"]
    assert calls.result == 1


def test_who_is_no_game_serves_publishes_and_returns_nothing(director):
    for ask in ({"do": "serve", "names": ["a"]}, {"do": "publish", "name": "a", "body": 1},
                {"do": "return", "call": 1}):  # fmt: skip
        assert "register_game" in director.ask(**ask)["message"]


def test_what_the_game_publishes_is_heard_and_asked_for(game, tool: Client):
    heard: list[Any] = []
    tool.on("published", lambda event: heard.append((event.event.name, event.event.body)))
    game.frame({7: (GUARD, 5)})
    assert game.ask(do="publish", name="observation", body={"hp": 5}) == {"is": "done"}
    while not heard:
        tool.dispatch(0.01)
    assert heard[0] == ("observation", {"hp": 5})
    assert tool.published("observation").body == {"hp": 5}
    assert game.ask(do="publish", name="large", body="x" * (257 << 10))["kind"] == "capacity"


def test_the_game_is_ordered_to_hold_what_a_tool_holds(player, tool):
    tool.pad(Pad((0.0, 1.0), held=Button.RB), time=1.5)
    order = player.order()
    sequence = order.pop("sequence")
    assert order == {
        "order": "pad", "player": 0, "left": [0.0, 1.0], "right": [0.0, 0.0], "buttons": 32,
        "left_trigger": 0.0, "right_trigger": 0.0, "holder": tool.origin, "time": 1.5,
    }  # fmt: skip
    assert sequence > 0
    tool.pad(Pad(), player=1)
    assert player.order()["player"] == 1


def test_a_pad_is_let_go_for_the_game_when_its_holder_goes(serving, player):
    with serving.client() as holder:
        holder.pad(Pad(held=Button.A))
        assert player.order()["buttons"] == 1
    order = player.order()
    assert (order["order"], order.get("buttons", 0)) == ("pad", 0)


def test_a_pad_is_let_go_for_the_game_when_its_holder_is_silent(player, tool):
    tool.pad(Pad(held=Button.A))
    assert player.order()["buttons"] == 1
    order = player.order()  # a second later, without a word of the tool's
    assert (order["order"], order.get("buttons", 0)) == ("pad", 0)


def test_pads_are_let_go_before_the_game_is_shown_its_past(player, tool, director):
    tool.pad(Pad(held=Button.A))
    assert player.order()["buttons"] == 1
    entering = director.post(do="enter")
    seen = []
    while not seen or seen[-1]["order"] != "pause":
        seen.append(player.order())
    player.say(do="paused")
    assert director.answer(entering)["is"] == "state"
    while not any(one["order"] == "pad" for one in seen):
        seen.append(player.order())
        if seen[-1]["order"] == "show" and seen[-1]["image"]:
            player.bytes()
    [let_go] = [one for one in seen if one["order"] == "pad"]
    assert not let_go.get("buttons")
    with pytest.raises(CommandError, match="pads are ignored while playback is on"):
        tool.ask(HoldPad())


def test_a_game_takes_the_pads_of_its_players_only(player, tool):
    tool.pad(Pad(), player=1)
    with pytest.raises(CommandError, match="only those of players 0, 1"):
        tool.ask(HoldPad(player=2))


def test_a_game_that_takes_no_pads_says_so_and_pads_end_with_their_game(serving, player, tool):
    tool.pad(Pad())
    player.kill()
    until(lambda: not serving.session.pads.players)
    with Game(serving.url) as newer:
        newer.frame({7: (GUARD, 5)})
        with pytest.raises(CommandError, match="takes no pads"):
            tool.ask(HoldPad())


def test_too_many_pads_are_refused_when_a_game_registers(serving):
    with Peer(serving.url) as peer:
        peer.hello()
        answer = peer.ask(do="register_game", name="many", pads=17)
        assert (answer["kind"], "pads 17" in answer["message"]) == ("command", True)


def test_a_game_of_version_1_is_sent_neither_calls_nor_pads(serving, tool):
    with Peer(serving.url) as old:
        old.origin = old.ask(do="hello", name="old", protocol=[1, 0])["origin"]
        assert old.ask(do="game", name="old game") == {"is": "done"}
        with pytest.raises(CommandError, match="takes no pads"):
            tool.ask(HoldPad())


@pytest.mark.parametrize("wrong", [{"pads": 17}, {"pads": -1}, {"about": {"n": 2**70}}])
def test_a_game_that_is_refused_when_it_registers_is_no_game_and_may_try_again(serving, wrong):
    with Peer(serving.url) as peer:
        peer.hello()
        assert peer.ask(do="register_game", name="wrong", **wrong)["is"] == "error"
        assert serving.world.game is None
        assert peer.ask(do="register_game", name="right") == {"is": "done"}


def test_names_that_are_refused_leave_those_that_were_served(game, tool):
    game.ask(do="serve", names=["a"])
    for names in (["b", ""], [f"n{n}" for n in range(65)]):
        assert game.ask(do="serve", names=names)["is"] == "error"
        with pytest.raises(CommandError, match="there is only a$"):
            tool.call("b")


def test_a_call_that_json_can_not_say_keeps_no_later_order_from_the_game(
    serving, player, tool, monkeypatch
):
    def text_of(message: Any) -> str:
        if "unsayable" in repr(message):
            raise DamagedError("JSON can't say it")
        return json_text.text_of(message)

    monkeypatch.setattr(connection_module, "text_of", text_of)
    player.ask(do="serve", names=["a"])
    with pytest.raises(DamagedError, match="JSON can't say it"):
        tool.call("a", "unsayable")
    tool.ask(HoldPad(held=Button.A))
    assert player.order()["buttons"] == Button.A


def test_a_game_that_never_returns_owes_only_so_many_answers(serving, game, monkeypatch):
    monkeypatch.setattr(calls_module, "MOST_CALLS", 2)
    game.ask(do="serve", names=["never"])
    with calling(serving, "never") as one, calling(serving, "never") as other:
        numbers = [game.order()["call"] for _ in range(2)]
        with serving.client() as client, pytest.raises(BusyError, match="2 calls wait already"):
            client.call("never")
        for number in numbers:
            game.say(do="return", call=number, result=number)
    assert {one.result, other.result} == set(numbers)


@pytest.mark.parametrize("time", [math.nan, math.inf])
def test_a_pad_of_no_instant_is_refused(player, tool, time):
    with pytest.raises(CommandError, match=f"time {time!r}"):
        tool.ask(HoldPad(time=time))


def test_who_subscribes_to_both_names_of_a_topic_hears_each_name_under_both(game, director):
    director.ask(do="subscribe", topics=["published", "told"], time=False)
    for name in ("a", "b", "c"):
        game.ask(do="publish", name=name, body=1)
    heard: set[tuple[str, str]] = set()
    director.ask(do="subscribe", topics=["published", "told"], time=False)
    for _ in range(6):
        result = director.next("event")
        heard.add((result["event"]["what"], result["event"]["name"]))
    assert heard == {(what, name) for what in ("published", "told") for name in "abc"}
