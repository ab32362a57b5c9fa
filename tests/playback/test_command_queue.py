"""Commands that wait for the game: each is carried out once, in its order, and answered."""

from types import SimpleNamespace
from typing import Any

import pytest

from playhead.playback.command_queue import CommandQueue
from playhead.playback.commands import Advance, Command, SeekFrame, Step
from playhead.playback.pending_command import PendingCommand
from playhead.playback.playback_state import Mode, PlaybackState
from playhead.recorder.fault_counts import FaultCounts

from ..support.fake_world import FakeWorld


class Game:
    """A game in playback, whose commands are only noted."""

    def __init__(self) -> None:
        self.state = PlaybackState(Mode.PAUSED, 3, 0.5)
        self.moved: list[Command] = []
        self.at_each: dict[Command, Any] = {}
        playhead: Any = SimpleNamespace(mode=Mode.PAUSED, is_advancing=False, state=self.state)
        recorder: Any = SimpleNamespace(faults=FaultCounts())
        self.queue = CommandQueue(
            FakeWorld(), recorder, playhead, move=self.move, report=print, call=print
        )

    def move(self, command: Command, origin: str) -> PlaybackState:
        self.moved.append(command)
        if (act := self.at_each.get(command)) is not None:
            act()
        return self.state


@pytest.fixture
def game() -> Game:
    return Game()


def stop() -> None:
    raise KeyboardInterrupt


def test_what_ends_the_program_leaves_the_commands_behind_it_for_the_next_step(game: Game) -> None:
    for number in (1, 2, 3):
        game.queue.defer(PendingCommand(Step(number)))
    game.at_each[Step(1)] = stop
    with pytest.raises(KeyboardInterrupt):
        game.queue.obey_deferred()
    assert game.queue.pending == (Step(2), Step(3))
    game.queue.obey_deferred()
    assert game.moved == [Step(1), Step(2), Step(3)]


def test_an_advance_that_has_nothing_to_run_is_answered_at_once(game: Game) -> None:
    outcomes: list[Any] = []
    game.queue.put(PendingCommand(Advance(3), "", outcomes.append))
    assert game.queue.wait(0.0)
    assert outcomes == [game.state]


def test_a_command_that_itself_waits_for_commands_takes_those_behind_it_along(game: Game) -> None:
    game.at_each[Step(1)] = lambda: game.queue.wait(0.0)
    for number in (1, 2):
        game.queue.put(PendingCommand(Step(number)))
    assert game.queue.obey_sent(hurry=False)
    assert game.moved == [Step(1), Step(2)]
    assert not game.queue.wait(0.0)


def test_a_command_that_is_cancelled_at_the_last_moment_is_not_executed(game: Game) -> None:
    class GivenUp(PendingCommand[Command]):
        @property
        def is_open(self) -> bool:
            found = super().is_open
            self.give_up()
            return found

    game.queue.put(GivenUp(SeekFrame(9)))
    assert game.queue.wait(0.0)
    assert game.moved == []
