"""What the game has lost again is done again, from the row in which the demo did it."""

from collections import Counter

import msgspec
import pytest

from playhead.agents.playthrough.route.outcome_changes import OutcomeChange
from playhead.games.playable_interface import ObservedEntity
from playhead.playback.pads.pad import Button

from .. import field as fields
from ..field import Area, Field, Person, record, replay, settings_of

USES = settings_of("pad_replay: {starts: [{name: deed, pressed: [Y], outcome: true, face: true}]}")
LEVERS = {"gate": (8.0, 1.0), "bridge": (16.0, 1.0)}
FAR = 60.0
"""How far away the gate is: no point of return before the levers is left there."""


class Works(Field):
    """Levers that the button Y moves to and fro, and what each of them opens far away. Something
    is lost again once, when the player is far enough from where it was got."""

    columns = {**fields.COLUMNS, "flags": str, "bag": str}

    def __init__(self, loses: str = "", *, times: int = 1, talks: bool = False):
        locks = [("gate", (FAR, -60.0, FAR + 0.5, 60.0))]
        smith = [Person((8.0, 1.0), "smith", gives="gate", name="Ann")] if talks else []
        super().__init__([Area("a", locks=locks, people=smith)])
        self.levers = {} if talks else LEVERS
        self.loses, self.times = loses, times
        self.moved: Counter[str] = Counter()
        self.bag = ""
        self.pearl = True

    def step(self, pad):
        pressed = pad.held & ~self.before
        super().step(pad)
        for name, at in self.levers.items():
            if pressed & Button.Y and self._facing(*at, fields.REACH, 0.9):
                self.flags ^= {name}
                self.moved[name] += 1
        if self.pearl and abs(self.x - 4.0) < 0.6 and abs(self.y) < 0.6:
            self.pearl, self.bag = False, "pearl"
        if self.x > 40.0 and self.times and (self.loses in self.flags or self.loses == self.bag):
            self.times -= 1
            self.flags -= {self.loses}
            if self.loses == "pearl":
                self.pearl, self.bag = True, ""

    def observe(self):
        seen = super().observe()
        flags = ", ".join(sorted(self.flags))
        extras = {**seen.extras, "flags": flags, "bag": self.bag}
        items = (ObservedEntity("pearl", (4.0, 0.0, 0.0)),) if self.pearl else ()
        return msgspec.structs.replace(seen, extras=extras, items=items)


OUTCOMES = {"flags": "equal", "bag": "includes"}


@pytest.fixture
def demo(tmp_path):
    deeds = [
        ("go", 8, 0), ("go", 8, 0.2), ("press", Button.Y), ("go", 16, 0), ("go", 16, 0.2),
        ("press", Button.Y), ("go", 40, 0), ("go", FAR + 5, 0),
    ]  # fmt: skip
    return record(Works(), deeds, tmp_path / "works.csv", OUTCOMES)


def test_where_nothing_is_lost_nothing_is_done_twice(demo):
    works = Works()
    agent = replay(works, demo, USES)
    assert agent.report.finished, agent.failure
    assert (agent.report.redone, agent.report.recoveries) == ([], 0)
    assert works.moved == {"gate": 1, "bridge": 1}


def test_before_a_gate_that_has_shut_again_it_goes_back_to_the_lever(demo):
    works = Works("gate")
    agent = replay(works, demo, USES)
    assert agent.report.finished, agent.failure
    assert works.flags == {"gate", "bridge"}
    (redone,) = agent.report.redone
    assert redone.endswith("flags is 'bridge', since row 68 of the demo it is 'gate'")
    # On its way back to the gate it leaves the other lever as it is.
    assert works.moved == {"gate": 2, "bridge": 1}


def test_what_is_lacking_at_the_demos_end_is_fetched_where_the_demo_got_it(demo):
    works = Works("pearl")
    agent = replay(works, demo, USES)
    assert agent.report.finished, agent.failure
    assert works.bag == "pearl"
    assert len(agent.report.redone) == 1
    assert works.moved == {"gate": 1, "bridge": 1}


def test_a_conversation_that_came_to_nothing_is_had_once_more(tmp_path):
    deeds = [("go", 8, 0), ("talk", 8, 1), ("go", 40, 0), ("go", FAR + 5, 0)]
    demo = record(Works(talks=True), deeds, tmp_path / "smith.csv", OUTCOMES)
    works = Works("gate", talks=True)
    agent = replay(works, demo, USES)
    assert agent.report.finished, agent.failure
    assert works.done == ["smith", "smith"]
    assert len(agent.report.redone) == 1


def test_what_is_lost_each_time_is_not_done_for_ever(demo):
    agent = replay(Works("gate", times=1000), demo, USES)
    assert agent.failure is not None
    assert len(agent.report.redone) == 2


@pytest.mark.parametrize(
    ("before", "after", "value", "equal", "includes"),
    [
        ("", "key", "key, lamp", True, True),
        ("key", "key, lamp", "key", False, False),
        ("key, lamp", "lamp", "key, lamp", False, True),
        (False, True, True, True, True),
        (1.0, 2.0, 1.0, False, False),
    ],
)
def test_words_count_one_by_one(before, after, value, equal, includes):
    for more, expected in ((False, equal), (True, includes)):
        assert OutcomeChange(3, "flags", before, after, more).holds(value) is expected
