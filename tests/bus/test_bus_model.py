"""The whole bus against a model: whatever happens, every change is told once, in order, to all."""

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from playhead.bus.client.client import Client
from playhead.bus.messages.message import PlayheadTime
from playhead.errors import CommandError

from ..support.waits import until

DT = 1 / 64


def shown_of(now: PlayheadTime) -> tuple[Any, ...]:
    return now.mode, now.frame, now.rate, now.focus, now.hidden, now.loop, now.origin


class Whole(RuleBasedStateMachine):
    """A game, a tool that moves, one that only watches; and somebody at the game's own keys."""

    make_game: Any
    until: Any

    def __init__(self) -> None:
        super().__init__()
        self.game = type(self).make_game()
        self.game.run(10)
        self.tools = [Client(self.game.endpoint, conflate=False, timeout=20) for _ in range(2)]
        self.watcher = Client(self.game.endpoint, conflate=False, timeout=20)
        self.times: list[PlayheadTime] = []
        self.watcher.on_time(self.times.append)
        self.watcher.dispatch(1.0)
        self.expected: list[tuple[Any, ...]] = []
        self.service = self.game.bus.name
        self.now = self.look()
        self.live = True

    def look(self) -> tuple[Any, ...]:
        """What there is to be shown, asked of the game itself."""

        def ask() -> tuple[Any, ...]:
            shown, span = self.game.session.playhead.state, self.game.session.source.span
            frame = span.newest if shown.frame is None else shown.frame
            return shown.mode.value, frame, shown.rate, shown.focus, shown.hidden, shown.loop

        return self.game.do(ask)

    def then(self, origin: str) -> None:
        """Note the one change that there was, if there was any."""
        now = self.look()
        if now != self.now:
            self.expected.append((*now, origin))
        self.now = now
        self.live = now[0] == "live"

    def move(self, tool: int, call: Any) -> None:
        client = self.tools[tool]
        try:
            shown = call(client)
        except CommandError:
            assert self.look() == self.now, "it was refused, and something has changed"
            return
        self.then(client.origin)
        frame = self.now[1] if self.live else shown.frame
        assert (shown.mode.value, frame) == self.now[:2]

    tool = st.integers(0, 1)

    @precondition(lambda self: self.live)
    @rule(frames=st.integers(1, 5))
    def record(self, frames: int) -> None:
        self.game.run(frames)
        mode, newest, *rest = self.now
        for frame in range(newest + 1, newest + frames + 1):
            self.expected.append((mode, frame, *rest, self.service))
        self.now = (mode, newest + frames, *rest)

    @precondition(lambda self: not self.live)
    @rule(seconds=st.sampled_from([0.0, DT / 3, DT, 5 * DT]))
    def real_time_passes(self, seconds: float) -> None:
        self.game.do(lambda: self.game.session.update(seconds))
        self.then(self.service)

    @rule(tool=tool, frame=st.integers(-2, 60))
    def seek(self, tool: int, frame: int) -> None:
        self.move(tool, lambda client: client.seek(frame=frame))

    @rule(tool=tool, frames=st.integers(-3, 3))
    def step(self, tool: int, frames: int) -> None:
        self.move(tool, lambda client: client.step(frames))

    @rule(tool=tool, name=st.sampled_from(["enter", "leave", "pause"]))
    def do(self, tool: int, name: str) -> None:
        self.move(tool, lambda client: getattr(client, name)())

    @rule(tool=tool, rate=st.sampled_from([1.0, -2.0, 0.5]), restart=st.booleans())
    def play(self, tool: int, rate: float, restart: bool) -> None:
        self.move(tool, lambda client: client.play(rate, restart=restart))

    @rule(tool=tool, start=st.integers(1, 20), length=st.integers(-1, 9))
    def loop(self, tool: int, start: int, length: int) -> None:
        self.move(tool, lambda client: client.loop(start * DT, (start + length) * DT))

    @rule(tool=tool, object=st.integers(0, 4), channel=st.sampled_from("ab"), on=st.booleans())
    def pick(self, tool: int, object: int, channel: str, on: bool) -> None:
        self.move(tool, lambda client: client.focus(object))
        self.move(tool, lambda client: client.show(channel, on))

    @rule(key=st.sampled_from(["Left", "Right", "Space", "Home", "End", "J", "L", "Escape"]))
    def press(self, key: str) -> None:
        self.game.do(lambda: self.game.session.press(key))
        self.then(self.service)

    @rule(tool=tool, frame=st.integers(1, 10))
    def say(self, tool: int, frame: int) -> None:
        self.tools[tool].mark("m", time=frame * DT)
        self.tools[tool].log("l")
        self.tools[tool].flush()
        assert not self.tools[tool].refusals
        assert self.look() == self.now

    @rule(tool=tool)
    def ask(self, tool: int) -> None:
        present = self.tools[tool].snapshot()
        assert shown_of(present.time)[:-1] == self.now
        assert present.span == self.game.do(lambda: self.game.session.source.span)

    @invariant()
    def what_was_told_is_what_happened(self) -> None:
        last = self.game.bus.newest_time()
        type(self).until(lambda: self.times and self.times[-1].sequence >= last, self.watcher)
        first = self.times[0].sequence
        assert [time.sequence for time in self.times] == list(range(first, last + 1))
        assert [shown_of(time) for time in self.times[1:]] == self.expected

    def teardown(self) -> None:
        for client in (*self.tools, self.watcher):
            client.close()
        faults = self.game.bus.status.newest_fault
        self.game.close()
        assert faults == ""


@pytest.mark.parametrize(
    "examples", [15, pytest.param(150, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_whatever_happens_every_change_is_reported_once_in_order(game_of_balls, examples):
    class Machine(Whole):
        make_game, until = staticmethod(game_of_balls), staticmethod(until)

    run_state_machine_as_test(
        Machine, settings=settings(max_examples=examples, stateful_step_count=25, deadline=None)
    )
