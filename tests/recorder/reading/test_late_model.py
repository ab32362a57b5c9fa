"""What is read of late traces against a plain model: a list of all that was ever said."""

import random
from collections import Counter
from types import SimpleNamespace

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
)

from playhead.recorder.packets.log_lines import LogLine
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.packets.trace_types import StateTransition, TreeTick
from playhead.recorder.reading.ring_source import RingSource
from playhead.recorder.recorder import Recorder
from playhead.recorder.statements.statement_messages import SetMark

from ...support.other_process import OtherProcess
from ...support.state_machines import run_state_machine

AGENTS, MACHINES = (1, 2), ("plan", "aim")
KEYS = [(agent, machine) for agent in AGENTS for machine in MACHINES]
WHAT = ("state", "state", "state", "tree", "log", "mark")


class Story:
    """A recorder, and a list of all that was said to it.

    Everything is named by a number that counts up, so each can be told from all others.
    """

    def __init__(self, memory: str, tally: Counter[str]) -> None:
        self.recorder = Recorder(memory, latch="16 KiB", strict=True)
        self.heard: list[list[int]] = []
        self.recorder.on_late(self.heard.append)
        self.cached = RingSource(self.recorder.ring)
        self.tally = tally
        """What all stories together came to see."""
        self.all_statements: list[SimpleNamespace] = []
        """All that is in finished frames: what, agent, machine, the frame it belongs to, name."""
        self.open: list[SimpleNamespace] = []
        self.waiting: list[SimpleNamespace] = []
        self.times: dict[int, float] = {}
        self.ended: dict[int, int] = {}
        self.dropped = self.refused = self.count = 0
        for key in KEYS:
            self.say_own("state", key)
        self.finish(1.0, 1)

    # --- what happens ---------------------------------------------------------------------------

    def say_own(self, what: str, key: tuple[int, str]) -> None:
        if self.recorder.suspended:
            return
        message = self._new(what, key)
        match what:
            case "state":
                self.recorder.trace.state(message.agent, message.machine, "", message.name, won="")
            case "tree":
                self.recorder.trace.tree(message.agent, message.name, [])
            case "log":
                self.recorder.log(message.name)
            case "mark":
                self.recorder.emit(SetMark(message.name))
        message.after_end = message.agent in self.ended
        self.open.append(message)

    def say_outside(self, what: str, key: tuple[int, str], back: float | None) -> None:
        """`back` is how long ago: in seconds, or exactly as many frames."""
        message, way = self._new(what, key), OtherProcess(self.recorder)
        newest = max(self.times)
        if isinstance(back, int):
            message.time = self.times[max(newest - back, min(self.times))]
        else:
            message.time = None if back is None else self.times[newest] - back
        match what:
            case "state":
                way.decide(
                    message.agent,
                    StateTransition(message.machine, "", message.name, ""),
                    time=message.time,
                )
            case "tree":
                way.decide(message.agent, TreeTick(message.name, ()), game_time=message.time)
            case "log":
                way.line(LogLine(message.name), time=message.time)
            case "mark":
                way.set_mark(message.name, time=message.time)
        if self.recorder.status.calls_dropped == self.refused:
            self.waiting.append(message)
        self.refused = self.recorder.status.calls_dropped

    def finish(self, delta: float, fill: int) -> None:
        if self.recorder.suspended:
            return
        # Opens the frame and makes room in any case, so that what is held then is known.
        self.recorder.draw.lines([[(0, 0, 0)] * 2] * fill)
        frame = self.recorder.next_frame
        time = max(self.times.values(), default=0.0) + delta
        # As it is when the recorder finds the frames; what it writes then may evict some more.
        oldest, changed = self.recorder.ring.oldest, set()
        for message in self.open:
            message.frame = frame
        for message in self.waiting:
            if message.time is None or message.time >= time:
                message.frame, message.after_end = frame, message.agent in self.ended
                self.open.append(message)
            elif oldest is None or message.time < oldest[1]:
                self.dropped += 1
                self.tally["dropped"] += 1
            else:
                message.frame = max(n for n, at in self.times.items() if at <= message.time)
                changed.add(message.frame)
                self.open.append(message)
        self.all_statements += self.open
        self.open, self.waiting = [], []
        self.times[frame] = time
        self.heard.clear()
        assert self.recorder.update([], 0.0, time) == frame
        held = sorted(n for n in changed if n >= self.recorder.source.span.oldest)
        assert self.heard == ([held] if held else [])
        self.tally["frames changed"] += len(held)
        self.tally["changed frames that were evicted at once"] += len(changed) - len(held)

    def end(self, agent: int) -> None:
        if agent not in self.ended and not self.recorder.suspended:
            self.recorder.despawn(agent)
            self.ended[agent] = self.recorder.next_frame

    def playback(self, on: bool) -> None:
        self.recorder.suspended = on

    # --- what is to be read ---------------------------------------------------------------------

    def check(self) -> None:
        """Every frame, by a new reader and by one that has read before, is what was said of it."""
        assert self.recorder.status.late_dropped == self.dropped
        assert self.recorder.status.latch_refused == 0
        span = self.cached.span
        self.tally["evicted"] += span.oldest > 1
        fresh = RingSource(self.recorder.ring)
        for frame in range(span.oldest, span.newest + 1):
            for source in (fresh, self.cached):
                self._check(source, frame, span.oldest)
        marks = [
            (message.name, message.frame)
            for message in self._of("mark")
            if message.frame >= span.oldest
        ]
        marks.sort(key=lambda mark: mark[1])
        for limit in (1, 3, 1000):
            result = [(mark.name, mark.frame) for mark in fresh.marks(limit)]
            assert result == marks[-limit:]

    def _check(self, source: RingSource, frame: int, oldest: int) -> None:
        assert [line.text for line in source.logs(frame)] == self._names("log", frame)
        received: list[tuple[int, str]] = []
        for agent, trace in source.traces(frame):
            received.append(
                (agent, trace.target if isinstance(trace, StateTransition) else trace.tree)
            )
        assert received == [
            (message.agent, message.name)
            for message in self.all_statements
            if message.frame == frame and message.what in ("state", "tree")
        ]
        held = {}
        for key in KEYS:
            chosen = self._history(key, frame, oldest)
            expected = next(
                (message.name for message in chosen if self._holds(message, frame)), None
            )
            state = source.latched(frame, key[0], Kind.STATE, key[1])
            assert (None if state is None else state.target) == expected
            if expected:
                held[key] = expected
            for limit in (1, 2, 100):
                transitions = source.transitions(frame, *key, limit)
                assert [(t.frame, t.trace.target) for t in transitions] == [
                    (message.frame, message.name) for message in chosen[:limit]
                ]
        assert source.machines(frame) == sorted(held)
        assert held == {
            (object, key): value.target
            for (object, kind, key), value in source.facts(frame).items()
            if kind is Kind.STATE
        }
        self.tally["states"] += len(held)

    def _history(self, key: tuple[int, str], frame: int, oldest: int) -> list[SimpleNamespace]:
        """The transitions up to a frame, newest first, to the one before the oldest frame."""
        history = [
            message for message in self._of("state")
            if (message.agent, message.machine) == key and message.frame <= frame
        ]  # fmt: skip
        history = sorted(history, key=lambda message: message.frame)[::-1]
        held = [message for message in history if message.frame >= oldest]
        before = [
            message
            for message in history
            if message.frame < oldest and self._holds(message, oldest - 1)
        ]
        return held + before[:1]

    def _holds(self, all_statements: SimpleNamespace, frame: int) -> bool:
        """Whether its agent has not ended between it and a frame."""
        end = self.ended.get(all_statements.agent)
        if end is None or end > frame:
            return True
        return all_statements.frame > end or (
            all_statements.frame == end and all_statements.after_end
        )

    def _of(self, what: str) -> list[SimpleNamespace]:
        return [message for message in self.all_statements if message.what == what]

    def _names(self, what: str, frame: int) -> list[str]:
        return [message.name for message in self._of(what) if message.frame == frame]

    def _new(self, what: str, key: tuple[int, str]) -> SimpleNamespace:
        self.count += 1
        return SimpleNamespace(
            what=what, agent=key[0], machine=key[1], name=f"{what} {self.count}", frame=0,
            time=None, after_end=False,
        )  # fmt: skip

    def close(self) -> None:
        self.recorder.close()


def tell(story: Story, chance: random.Random) -> None:
    """Something, drawn cheaply, so that much can be tried."""
    draw, what, key = chance.random(), chance.choice(WHAT), chance.choice(KEYS)
    if draw < 0.25:
        story.say_own(what, key)
    elif draw < 0.65:
        back = chance.choice((None, 0, 1, 2, 5, chance.randrange(40), chance.uniform(-1.0, 20.0)))
        story.say_outside(what, key, back)
    elif draw < 0.66:
        story.end(chance.choice(AGENTS))
    elif draw < 0.72:
        story.playback(chance.random() < 0.3)
    else:
        story.finish(chance.choice((0.0, 0.25, 1.0, 1.0, 3.0)), chance.choice((1, 1, 1, 20, 60)))


class LateMachine(RuleBasedStateMachine):
    """Frames, own and outside sayings, playback and eviction in any order."""

    tally: Counter[str] = Counter()

    @initialize(memory=st.sampled_from(["24 KiB", "40 KiB", "96 KiB"]))
    def make(self, memory: str) -> None:
        self.story = Story(memory, self.tally)

    @rule(seed=st.integers(0, 2**20), count=st.integers(1, 40))
    def anything(self, seed: int, count: int) -> None:
        # Not the seed alone: small ones come again and again.
        chance = random.Random(seed * 1_000_003 + self.story.count)
        for _ in range(count):
            tell(self.story, chance)
        self.story.check()

    @rule(what=st.sampled_from(WHAT), key=st.sampled_from(KEYS))
    def say_own(self, what: str, key: tuple[int, str]) -> None:
        self.story.say_own(what, key)

    @rule(
        what=st.sampled_from(WHAT),
        key=st.sampled_from(KEYS),
        back=st.none() | st.floats(-1.0, 12.0) | st.integers(0, 12),
    )
    def say_outside(self, what: str, key: tuple[int, str], back: float | None) -> None:
        self.story.say_outside(what, key, back)

    @rule(delta=st.sampled_from([0.0, 0.25, 1.0, 3.0]), fill=st.sampled_from([1, 20, 60, 300]))
    def finish(self, delta: float, fill: int) -> None:
        self.story.finish(delta, fill)
        self.story.check()

    @rule(agent=st.sampled_from(AGENTS))
    def end(self, agent: int) -> None:
        self.story.end(agent)

    @rule(on=st.booleans())
    def playback(self, on: bool) -> None:
        self.story.playback(on)
        self.story.check()

    def teardown(self) -> None:
        if hasattr(self, "story"):
            self.story.close()


def test_every_frame_reads_as_the_model_says_after_anything_was_stated() -> None:
    run_state_machine(LateMachine, examples=40, thorough_examples=600, steps=20)
    for what in ("frames changed", "evicted", "dropped", "states"):
        assert LateMachine.tally[what] > 20, what
