"""The roster as a machine: whatever is wished in between, each demo is replayed or skipped."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from playhead.agents.replay.demo_queue import DemoQueue, QueueState
from playhead.errors import CommandError


class Rosters(RuleBasedStateMachine):
    @initialize(count=st.integers(1, 5), times=st.integers(1, 3))
    def begin(self, count, times):
        self.names = [f"d{number}" for number in range(count)]
        self.roster = DemoQueue(self.names, times)
        self.roster.start()
        assert self.roster.begin_lap()
        self.seen = -1
        self.progress = 0.0

    @rule(data=st.data())
    def select(self, data):
        chosen = data.draw(st.sets(st.sampled_from(self.names)))
        self.roster.select(chosen)
        self.chosen = chosen
        assert {entry.name for entry in self.roster.entries if entry.selected} == chosen

    @rule()
    @precondition(lambda self: self.roster.current is None)
    def go_on(self):
        wanted = [entry.selected for entry in self.roster.entries]
        at = self.roster.next()
        if at is None:
            assert all(
                entry.standing not in (QueueState.WAITING, QueueState.PLAYING)
                for entry in self.roster.entries
            )
            stopped, laps = self.roster.stops, self.roster.lap
            again = self.roster.begin_lap()
            assert again == (not stopped and laps < self.roster.times)
            self.seen = -1
            if not again:
                self.roster.rest()
                self.roster.select(self.names)
                self.roster.start()
                assert self.roster.begin_lap()
                self.progress = 0.0
        else:
            assert wanted[at]
            assert at > self.seen
            self.seen = at

    @rule(standing=st.sampled_from([QueueState.FINISHED, QueueState.FAILED, QueueState.SKIPPED]))
    @precondition(lambda self: self.roster.current is not None)
    def end(self, standing):
        self.roster.end(standing)
        assert self.roster.current is None

    @rule()
    def skip(self):
        self.roster.skip()
        assert self.roster.leaves == (self.roster.current is not None or self.roster.stops)

    @rule()
    def stop(self):
        self.roster.stop()
        assert self.roster.stops

    @invariant()
    def progress_never_runs_backwards(self):
        if not hasattr(self, "roster"):
            return
        now = self.roster.progress
        assert 0.0 <= now <= 1.0
        assert now >= self.progress - 1e-9
        self.progress = now

    @invariant()
    def at_most_one_is_played(self):
        if hasattr(self, "roster"):
            playing = [entry.standing is QueueState.PLAYING for entry in self.roster.entries]
            assert sum(playing) <= 1


TestRosters = Rosters.TestCase


def test_what_makes_no_sense_is_refused():
    roster = DemoQueue(["a", "b"])
    for wrong in (lambda: DemoQueue([]), lambda: DemoQueue(["a"], 0), lambda: roster.select(["c"])):
        with pytest.raises(CommandError):
            wrong()
    roster.select([])
    with pytest.raises(CommandError, match="no demo is selected"):
        roster.start()
