"""The queue as a state machine: whatever is requested, each demo is replayed or skipped."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from playhead.agents.replay.demos.demo_queue import DemoQueue, QueueState
from playhead.errors import CommandError


class DemoQueues(RuleBasedStateMachine):
    @initialize(count=st.integers(1, 5), times=st.integers(1, 3))
    def begin(self, count, times):
        self.names = [f"d{number}" for number in range(count)]
        self.queue = DemoQueue(self.names, times)
        self.queue.start()
        assert self.queue.begin_lap()
        self.seen = -1
        self.progress = 0.0

    @rule(data=st.data())
    def select(self, data):
        chosen = data.draw(st.sets(st.sampled_from(self.names)))
        self.queue.select(chosen)
        self.chosen = chosen
        assert {entry.name for entry in self.queue.entries if entry.selected} == chosen

    @rule()
    @precondition(lambda self: self.queue.current is None)
    def go_on(self):
        wanted = [entry.selected for entry in self.queue.entries]
        at = self.queue.next()
        if at is None:
            assert all(
                entry.state not in (QueueState.WAITING, QueueState.PLAYING)
                for entry in self.queue.entries
            )
            stopped, laps = self.queue.should_stop, self.queue.lap
            again = self.queue.begin_lap()
            assert again == (not stopped and laps < self.queue.times)
            self.seen = -1
            if not again:
                self.queue.reset()
                self.queue.select(self.names)
                self.queue.start()
                assert self.queue.begin_lap()
                self.progress = 0.0
        else:
            assert wanted[at]
            assert at > self.seen
            self.seen = at

    @rule(state=st.sampled_from([QueueState.FINISHED, QueueState.FAILED, QueueState.SKIPPED]))
    @precondition(lambda self: self.queue.current is not None)
    def end(self, state):
        self.queue.end(state)
        assert self.queue.current is None

    @rule()
    def skip(self):
        self.queue.skip()
        assert self.queue.should_leave == (self.queue.current is not None or self.queue.should_stop)

    @rule()
    def stop(self):
        self.queue.stop()
        assert self.queue.should_stop

    @invariant()
    def progress_never_runs_backwards(self):
        if not hasattr(self, "roster"):
            return
        now = self.queue.progress
        assert 0.0 <= now <= 1.0
        assert now >= self.progress - 1e-9
        self.progress = now

    @invariant()
    def at_most_one_is_played(self):
        if hasattr(self, "roster"):
            playing = [entry.state is QueueState.PLAYING for entry in self.queue.entries]
            assert sum(playing) <= 1


TestDemoQueues = DemoQueues.TestCase


def test_what_makes_no_sense_is_refused():
    queue = DemoQueue(["a", "b"])
    for wrong in (lambda: DemoQueue([]), lambda: DemoQueue(["a"], 0), lambda: queue.select(["c"])):
        with pytest.raises(CommandError):
            wrong()
    queue.select([])
    with pytest.raises(CommandError, match="no demo is selected"):
        queue.start()
