"""Pads over the bus: who plays may be in another process, and may be gone."""

import sys

import pytest

from playhead.bus.messages.requests import HoldPad
from playhead.bus.messages.responses import Done
from playhead.errors import BusError, CommandError, DamagedError
from playhead.playback.pads import latest_pads as pads
from playhead.playback.pads.pad import NEUTRAL, Button, Pad

from ..support.waits import until

AHEAD = Pad(left=(0.0, 1.0), held=Button.RB)
PLAYER = """
import sys
from playhead.bus.client.client import Client
from playhead.playback.pads.pad import Pad

client = Client(sys.argv[1], name="agent", timeout=20)
client.pad(Pad(left=(1.0, 0.0)))
client.flush()
print("holds", flush=True)
while True:
    client.pad(Pad(left=(1.0, 0.0)))
    client.dispatch(0.1)
"""


class Stepped:
    """A game that takes the first pad."""

    def __init__(self, game):
        self.game = game
        game.run()
        assert self.step() is None

    def step(self):
        """Make a step; what it was played with."""

        def one():
            pad = self.game.session.pad()
            self.game.stage.run(1)
            return pad

        return self.game.do(one)

    @property
    def who(self):
        """Whose pad the newest step was played with, and which."""
        held = self.game.do(lambda: self.game.session.pads.state())
        return held.origin, held.sequence, held.time


@pytest.fixture
def stepped(game, monkeypatch):
    monkeypatch.setattr(pads, "SILENT_FOR", 1e9)  # or a busy machine would let go
    return Stepped(game())


def test_a_tool_holds_the_pad_until_it_holds_another(stepped, tool):
    client = tool(stepped.game)
    client.pad(AHEAD)
    client.flush()
    assert [stepped.step(), stepped.step()] == [AHEAD, AHEAD]
    client.pad(NEUTRAL)
    client.flush()
    assert stepped.step() == NEUTRAL
    assert not client.refusals


def test_the_game_knows_whose_pad_it_is_and_which(stepped, tool):
    client = tool(stepped.game, name="agent")
    number = client.pad(AHEAD, time=0.25)
    client.flush()
    stepped.step()
    assert stepped.who == (client.origin, number, 0.25)


def test_who_leaves_lets_go(stepped, tool):
    client = tool(stepped.game)
    client.pad(AHEAD)
    client.flush()
    assert stepped.step() == AHEAD
    client.close()
    until(lambda: stepped.step() == NEUTRAL)


def test_another_ones_pad_stays_when_somebody_leaves(stepped, tool):
    gone, here = tool(stepped.game), tool(stepped.game)
    gone.pad(Pad(held=Button.B))
    gone.flush()
    here.pad(AHEAD)
    here.flush()
    gone.close()
    until(lambda: len(stepped.game.bus.status.tools) == 1)
    stepped.step()
    assert stepped.step() == AHEAD


def test_a_player_that_is_killed_lets_go_before_long(game, start_process):
    stepped = Stepped(game())
    player = start_process(sys.executable, "-c", PLAYER, stepped.game.endpoint, talks=True)
    assert player.line() == "holds"
    until(lambda: stepped.step() == Pad(left=(1.0, 0.0)))
    player.kill()
    until(lambda: stepped.step() == NEUTRAL)


def test_while_playback_is_on_pads_are_ignored_and_say_so(stepped, tool):
    client = tool(stepped.game)
    client.pad(AHEAD)
    client.enter()
    with pytest.raises(CommandError, match="ignored while playback is on; `leave`"):
        client.ask(HoldPad(held=Button.A))
    client.pad(AHEAD)
    client.flush()
    assert "playback is on" in client.refusals[-1]
    client.leave()
    assert stepped.step() == NEUTRAL
    assert isinstance(client.ask(HoldPad(held=Button.A)), Done)
    assert stepped.step() == Pad(held=Button.A)


def test_a_game_that_takes_no_pads_says_so(game, tool):
    one = game()
    one.run()
    with pytest.raises(CommandError, match="takes no pads"):
        tool(one).ask(HoldPad())


def test_a_pad_that_nobody_could_hold_is_refused(stepped, tool):
    client = tool(stepped.game)
    with pytest.raises(CommandError, match="left is 2.0;"):
        client.ask(HoldPad(left=(2.0, 0.0)))
    with pytest.raises(CommandError, match="player 99"):
        client.ask(HoldPad(player=99))
    with pytest.raises(DamagedError, match="buttons"):
        client.ask(HoldPad(held="all of them"))
    assert stepped.step() is None


def test_a_pad_for_a_service_that_is_gone_is_an_error(stepped, tool):
    client = tool(stepped.game, timeout=1.0)
    stepped.game.close()
    with pytest.raises(BusError):
        while True:
            client.pad(AHEAD)
            client.dispatch(0.1)
