"""Whatever is commanded in whatever order: only CommandError, and every run goes on unharmed."""

import contextlib
import math

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from playhead.errors import CommandError
from playhead.playback.commands import (
    Enter,
    Focus,
    Leave,
    Loop,
    LoopOff,
    Pause,
    Play,
    SeekFrame,
    SeekMark,
    SeekTime,
    Show,
    Step,
)
from playhead.playback.key_controls import KEYS
from playhead.playback.playback_state import Mode
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.session import Session

from ..conftest import Ball

times = st.one_of(
    st.floats(-2, 5), st.sampled_from([math.nan, math.inf, -math.inf, 1e300, "soon", None, 10**400])
)
numbers = st.one_of(
    st.integers(-70, 70), st.sampled_from([0, 10**30, -(10**30), 2**63, 1.5, True, "7", None])
)
rates = st.one_of(
    st.sampled_from([0.25, 1.0, -1.0, 2.0, -8.0, 100.0]),
    st.sampled_from([0.0, math.nan, math.inf, 1e-9, "fast"]),
)
names = st.sampled_from(["ai", "fx", "bookmark", "nothing", "", None, 3])
commands = st.one_of(
    st.builds(Enter, st.one_of(st.none(), times)),
    st.builds(Leave),
    st.builds(Play, rates, st.booleans()),
    st.builds(Pause),
    st.builds(Step, numbers),
    st.builds(SeekTime, times),
    st.builds(SeekFrame, numbers),
    st.builds(SeekMark, names),
    st.builds(Loop, times, times),
    st.builds(LoopOff),
    st.builds(Focus, numbers),
    st.builds(Show, names, st.booleans()),
)


def machine_of(court_class, handlers, dt):
    """A state machine over courts of this class."""

    class AnyOrder(RuleBasedStateMachine):
        @initialize(strict=st.booleans())
        def begin(self, strict):
            self.court = court_class()
            # It holds some twenty frames, so that runs of the game evict.
            self.session = Session(
                self.court, "24 KiB", latch="8 KiB", handlers=handlers(), on_check=UNATTENDED,
                strict=strict,
            )  # fmt: skip
            self.twin = court_class()
            self.next_id = 100
            self.before = None
            self.views = {}

        def teardown(self):
            if hasattr(self, "session"):
                self.session.close()
                assert self.court.state() == self.twin.state()

        @invariant()
        def leaving_gives_back_what_was_there(self):
            if not hasattr(self, "session"):
                return
            if self.session.live:
                assert self.court.state() == self.twin.state()
                assert not self.court.paused
            else:
                assert self.court.paused
                assert self.court.locked

        @invariant()
        def what_is_shown_depends_on_the_frame_alone(self):
            if not hasattr(self, "session"):
                return
            shown = self.session.playhead.state
            if shown.mode is Mode.LIVE:
                self.views = {}
            elif shown.frame is not None:
                assert shown.span.oldest <= shown.frame <= shown.span.newest
                view = self.court.picture()
                assert self.views.setdefault(shown.frame, view) == view

        @rule(command=commands, now=st.booleans())
        def apply(self, command, now):
            with contextlib.suppress(CommandError):
                self.session.apply(command, now=now)

        @rule(command=commands)
        def send(self, command):
            with contextlib.suppress(CommandError):
                self.session.send(command)

        @rule(key=st.sampled_from([*KEYS, "F1", "x", ""]))
        def press(self, key):
            self.session.press(key)

        @rule(command=commands, marks=st.booleans())
        def ask_in_mid_frame(self, command, marks):
            def ask():
                self.session.draw.line((0, 0, 0), (1, 1, 1), channel="ai")
                if marks:
                    self.session.mark("bookmark")
                with contextlib.suppress(CommandError):
                    self.session.apply(command)

            if self.session.live:
                self.court.during = ask
                self.step(1)
                self.court.during = court_class.during

        @rule(frames=st.integers(1, 30))
        def step(self, frames):
            for _ in range(frames):
                if self.session.live:
                    self.court.step()
                    self.twin.step()
                self.session.update(dt)

        @rule(seconds=st.floats(0, 3))
        def update(self, seconds):
            if not self.session.live:
                self.session.update(seconds)

        @rule()
        def spawn(self):
            if self.session.live:
                self.next_id += 1
                for court in (self.court, self.twin):
                    court.things[self.next_id] = Ball((1.0, 1.0, 1.0))

        @rule(choice=st.integers(0, 100))
        def despawn(self, choice):
            if self.session.live and len(self.court.things) > 2:
                id = sorted(self.court.things)[choice % len(self.court.things)]
                for court in (self.court, self.twin):
                    del court.things[id]

        @rule(choice=st.integers(0, 100))
        def hide_or_show(self, choice):
            if self.session.live and self.court.things:
                id = sorted(self.court.things)[choice % len(self.court.things)]
                for court in (self.court, self.twin):
                    court.things[id].visible = not court.things[id].visible
                # What nobody recorded can't be given back, so a frame has to follow.
                self.step(1)

    return AnyOrder


def test_commands_in_any_order_raise_only_command_errors_and_leave_no_trace(play):
    game = play()
    machine = machine_of(type(game.court), game.handlers, game.DT)
    machine.TestCase.settings = settings(stateful_step_count=40)
    machine.TestCase().runTest()
