"""Hooks on the transitions of machines of the library `transitions`."""

from enum import Enum
from typing import Any

import pytest

transitions = pytest.importorskip("transitions")

from transitions import Machine  # noqa: E402
from transitions.extensions import HierarchicalMachine  # noqa: E402

from playhead.errors import CommandError  # noqa: E402
from playhead.playback.playback_state import Mode  # noqa: E402
from playhead.recording.recording import Recording  # noqa: E402
from playhead.recording_session import record  # noqa: E402

DT = 1 / 64


class Door:
    def __init__(self) -> None:
        self.name, self.locked = "door", False

    def is_free(self) -> bool:
        return not self.locked


class Colour(Enum):
    RED = "red"
    GREEN = "green"
    BLUE = "blue"


class Game:
    def __init__(self, kind: Any = Machine, states: Any = ("shut", "open", "broken")) -> None:
        self.door = Door()
        names = [getattr(state, "name", state) for state in states]
        first, second = states[0], states[1]
        self.machine = kind(
            self.door, states=list(states), initial=first, auto_transitions=False,
            transitions=[
                {"trigger": "push", "source": first, "dest": second, "conditions": "is_free"},
                {"trigger": "pull", "source": second, "dest": first},
            ],
        )  # fmt: skip
        self.names = names
        self.rec = record([self.door], dt=DT, strict=True)
        self.rec.add(self.machine, name="hinge")
        self.step(lambda: None)

    def step(self, do: Any) -> Any:
        with self.rec.frame():
            return do()

    @property
    def state(self) -> str:
        state = self.door.state
        return getattr(state, "name", state)

    def newest(self) -> Any:
        [(_, trace)] = self.rec.source.traces(self.rec.source.span.newest)
        return trace


@pytest.fixture(params=["flat", "nested", "enum"])
def game(request):
    made = {
        "flat": lambda: Game(),
        "nested": lambda: Game(HierarchicalMachine),
        "enum": lambda: Game(states=tuple(Colour)),
    }[request.param]()
    yield made
    made.rec.close()


def test_a_suppressed_transition_is_not_made_and_says_why(game):
    first, second, _ = game.names
    hook = game.rec.hooks.replace("door", transition=f"{first} -> {second}", result=None)
    assert game.step(game.door.push) is False
    assert game.state == first
    [(_, name, value)] = [
        (id, name, value) for id, name, value
        in game.rec.source.statements(game.rec.source.span.newest).events
    ]  # fmt: skip
    assert name == "hinge: no transition"
    assert f"hook {hook.id}" in value["failed"][0]


def test_a_transition_can_lead_elsewhere_and_the_machine_is_as_before_afterwards(game):
    first, second, third = game.names
    hook = game.rec.hooks.replace("door", transition=f"{first} ->", result=third, times=1)
    assert game.step(game.door.push)
    assert game.state == third
    assert f"hook {hook.id}" in game.newest().won
    [transition] = list(game.machine.get_transitions("push"))
    assert getattr(transition.dest, "name", transition.dest) == second
    assert "execute" not in vars(transition)


def test_a_hook_acts_only_where_the_conditions_of_the_transition_hold(game):
    first, second, _ = game.names
    game.rec.hooks.break_at("door", transition=f"{first} -> {second}")
    game.door.locked = True
    game.step(game.door.push)
    assert game.rec.live
    assert game.state == first
    game.door.locked = False
    game.step(game.door.push)
    assert game.rec.state.mode is Mode.PAUSED
    game.rec.leave()


def test_a_trace_tells_of_each_transition(game):
    first, second, _ = game.names
    game.rec.hooks.trace("door", transition="->")
    game.step(game.door.push)
    game.step(game.door.pull)
    texts = [line.text for line in Recording(game.rec.source, "").logs()]
    assert texts == [
        f"hinge: {first} -> {second}, by push", f"hinge: {second} -> {first}, by pull"
    ]  # fmt: skip


def test_unknown_states_and_wrong_kinds_are_refused(game):
    first, second, _ = game.names
    hooks = game.rec.hooks
    with pytest.raises(CommandError, match=f"did you mean '{first}'"):
        hooks.trace("door", transition=f"{first}x -> {second}")
    with pytest.raises(CommandError, match="has no state 'ajar'"):
        hooks.replace("door", transition="->", result="ajar")
    with pytest.raises(CommandError, match="write 'Patrol -> Chase'"):
        hooks.trace("door", transition="push")
    with pytest.raises(CommandError, match="None to stay"):
        hooks.replace("door", transition="->", result=3)
    assert hooks.list() == []


def test_the_past_tells_how_often_a_transition_was_made_and_where_it_is_now(game):
    first, second, _ = game.names
    for _ in range(3):
        game.step(game.door.push)
        game.step(game.door.pull)
    found = Recording(game.rec.source, "").occurrences("door", transition=f"-> {second}")
    assert (found.count, found.first, found.last, found.now) == (3, 2, 6, first)
