"""Wherever playback is asked for and left, the run equals one that was never paused."""

import hypothesis.strategies as st
from hypothesis import example, given

from playhead.playback.commands import Enter, Leave, Play, SeekFrame, SeekTime, Step
from playhead.recorder.checks.check_policy import CheckPolicy
from playhead.session import Session

from .conftest import court_of

REQUESTS = {
    "enter": lambda session: session.enter(),
    "seek": lambda session: session.apply(SeekFrame(2)),
    "seek time": lambda session: session.apply(SeekTime(0.0)),
    "step": lambda session: session.apply(Step(-2)),
    "play": lambda session: session.apply(Play(-1.0)),
    "send": lambda session: session.send(Enter()),
    "send seek": lambda session: session.send(SeekFrame(1)),
    "leave": lambda session: session.apply(Leave()),
    "send leave": lambda session: session.send(Leave()),
    "press": lambda session: session.press("Left"),
    "press End": lambda session: session.press("End"),
    "check": lambda session: session.check(False, "no", focus=2),
    "log": lambda session: session.log("here"),
}
CHANGE = "change"
"""Something in the world becomes another, in the game and in its twin."""

acts = st.lists(st.sampled_from([*REQUESTS, CHANGE]), max_size=4)
steps = st.lists(st.tuples(acts, acts, acts, st.booleans()), min_size=1, max_size=8)
"""Of each step: what is done before it, in it and after it; and whether it is a block."""
scrubs = st.lists(st.sampled_from(["Left", "Right", "Home", "J", "L", "Space"]), max_size=4)


def change(court):
    ball = court.things[1]
    x, y, z = ball.position
    ball.position, ball.visible = (x, y + 1.0, z), not ball.visible
    ball.state = "well" if ball.state == "hurt" else "hurt"


class Run:
    """A game and its twin, which nobody pauses; and the loop around them."""

    def __init__(self, session, court, twin, dt):
        self.session, self.court, self.twin, self.dt = session, court, twin, dt
        self.changed = False
        """Whether the game was changed since its newest frame."""
        self.positions = []

    def act(self, names):
        """Do what is wanted; returns how often the game was changed with that."""
        changes = 0
        for name in names:
            if name != CHANGE:
                REQUESTS[name](self.session)
            elif self.session.live:
                change(self.court)
                changes += 1
        self.changed = self.changed or changes > 0
        return changes

    def act_between(self, names):
        for _ in range(self.act(names)):
            change(self.twin)

    def come_back(self, scrub):
        while not self.session.live:
            for key in scrub:
                self.session.press(key)
                if self.session.live:  # `End`, or what had been sent, has ended it
                    return
                self.session.update(2 * self.dt)
                if self.session.live:
                    return
            self.session.leave()

    def step(self, before, inside, after, block):
        self.act_between(before)
        changes = []
        self.court.during = lambda: changes.append(self.act(inside))
        if block:
            with self.session.frame(self.dt):
                self.court.step()
        else:
            self.court.step()
            self.session.update(self.dt)
        self.changed = False
        self.twin.during = lambda: [change(self.twin) for _ in range(changes[0])]
        self.twin.step()
        self.positions.append({id: ball.position for id, ball in self.twin.things.items()})
        self.act_between(after)


def test_a_run_equals_one_that_was_never_paused(play):
    game = play()

    @given(steps=steps, scrub=scrubs, now=st.booleans())
    @example(steps=[([], [], [], False), ([CHANGE, "enter"], [], [], False)], scrub=[], now=False)
    @example(steps=[([], [], [CHANGE, "send"], False)] * 2, scrub=["Home"], now=True)
    @example(steps=[([], ["enter", CHANGE], [], True)] * 2, scrub=["Home"], now=False)
    @example(steps=[([], ["enter"], [], False)] * 2, scrub=["Home"], now=False)
    def run_it(steps, scrub, now):
        court, twin = court_of(), court_of()
        policy = CheckPolicy(notify=False)
        with Session(court, "64 KiB", handlers=game.handlers(), on_check=policy) as session:
            run = Run(session, court, twin, game.DT)
            for step in steps:
                if now and session.live and not run.changed:
                    is_open = session.recorder.ring.raw.is_open
                    assert bool(session.apply(Enter(), now=True).pending) is is_open
                run.come_back(scrub)
                run.step(*step)
            run.come_back(scrub)
            assert court.state() == twin.state()
            assert session.source.span.newest == len(steps)
            for frame, positions in enumerate(run.positions, 1):
                rows = session.source.objects(frame)
                assert {row.id: row.position for row in rows} == positions

    run_it()
