"""Hooks on recorded fields, of objects with a handler and of plain ones."""

from dataclasses import dataclass
from enum import Enum

import pytest

from playhead.errors import CommandError
from playhead.playback.playback_state import Mode
from playhead.recording.recording import Recording
from playhead.recording_session import record
from playhead.session import Session

from ..support.fake_world import DT, FakeWorld, handlers_of


class Mood(Enum):
    CALM = 1
    ANGRY = 2


@dataclass
class Guard:
    hp: float = 9.0
    velocity: tuple[float, float] = (1.0, 0.0)
    mood: Mood = Mood.CALM
    shots: int = 3


class HandledGame:
    """A world whose objects a FieldHandler records."""

    def __init__(self) -> None:
        self.guard = Guard()
        self.world = FakeWorld({1: self.guard})
        self.session = Session(self.world, "1 MiB", handlers=handlers_of(self.world), strict=True)

    def step(self, **fields: object) -> None:
        self.world.step()
        for name, value in fields.items():
            setattr(self.guard, name, value)
        self.session.update(DT)


class PlainGame(HandledGame):
    """A program without a world of its own."""

    def __init__(self) -> None:
        self.guard = Guard()
        self.session = record([self.guard], dt=DT, strict=True)

    def step(self, **fields: object) -> None:
        with self.session.frame():
            for name, value in fields.items():
                setattr(self.guard, name, value)


@pytest.fixture(params=[HandledGame, PlainGame])
def game(request):
    made = request.param()
    made.step()
    yield made
    made.session.close()


def recorded(game, field):
    span = game.session.source.span
    return Recording(game.session.source, "").object(1, span.newest).fields[field]


def test_a_break_pauses_at_the_end_of_the_frame_in_which_the_field_changed(game):
    game.session.hooks.break_at(1, field="hp")
    game.step()
    game.step()
    assert game.session.live
    game.step(hp=4.0)
    assert game.session.state.mode is Mode.PAUSED
    assert game.session.state.frame == 4
    game.session.leave()
    [mark] = list(game.session.recorder.waiting_marks(game.session.source))
    assert mark.frame == 4
    game.step()
    assert "hp: 9 -> 4" in game.session.source.marks()[-1].note


def test_a_condition_makes_it_a_watchpoint(game):
    game.session.hooks.break_at(1, field="hp", when="hp < 3")
    game.step()
    game.step(hp=4.0)
    assert game.session.live
    game.step(hp=2.0)
    assert not game.session.live
    game.session.leave()


def test_a_trace_writes_each_change_of_a_part_of_a_vector(game):
    game.session.hooks.trace(1, field="velocity.y")
    game.step()
    game.step(velocity=(2.0, 0.0))
    game.step(velocity=(2.0, 5.0))
    game.step()
    [line] = Recording(game.session.source, "").logs()
    assert line.text.startswith("velocity.y: 0 -> 5")
    assert line.frame == 4


def test_a_replaced_field_has_its_value_at_the_end_of_each_step_and_in_the_frame(game):
    hook = game.session.hooks.replace(1, field="hp", result=7)
    game.step(hp=2.0)
    assert game.guard.hp == 7.0
    assert recorded(game, "hp") == 7.0
    newest = game.session.source.span.newest
    assert game.session.source.statements(newest).inputs[1, f"hook {hook.id}"] == "hp = 7"
    game.session.enter()
    game.session.leave()
    assert game.guard.hp == 7.0
    game.session.hooks.remove(hook)
    game.step(hp=3.0)
    assert game.guard.hp == 3.0


def test_a_mocked_field_takes_the_values_of_its_list_one_a_step(game):
    game.session.hooks.mock(1, field="mood", results=["ANGRY", "CALM", "ANGRY"])
    seen = []
    for _ in range(4):
        game.step(mood=Mood.CALM)
        seen.append(game.guard.mood.name)
    assert seen == ["ANGRY", "CALM", "ANGRY", "CALM"]


def test_a_value_that_the_field_can_not_have_ends_the_hook_and_not_the_game(game):
    game.session.hooks.replace(1, field="shots", result="many")
    game.step()
    [report] = game.session.hooks.list()
    assert report.state == "wrong"
    assert "is a whole number" in report.note
    assert game.guard.shots == 3


def test_an_unknown_field_is_refused_and_an_object_that_comes_later_is_waited_for(game):
    with pytest.raises(CommandError, match="did you mean 'velocity'"):
        game.session.hooks.trace(1, field="velocty")
    with pytest.raises(CommandError, match="no field 'velocity.z'"):
        game.session.hooks.trace(1, field="velocity.z")
    game.session.hooks.trace(77, field="hp")
    assert game.session.hooks.list()[0].state == "waiting"
    game.step()


def test_the_past_tells_how_often_a_field_changed_and_what_it_is_now(game):
    for hp in (9.0, 8.0, 8.0, 7.0):
        game.step(hp=hp)
    found = Recording(game.session.source, "").occurrences(1, field="hp")
    assert (found.count, found.first, found.last, found.now) == (2, 3, 5, 7.0)
    with pytest.raises(CommandError, match="hpp"):
        Recording(game.session.source, "").occurrences(1, field="hpp")
