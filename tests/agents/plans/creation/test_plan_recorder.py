"""A play becomes a plan: places from time to time, every action with its target, then tidied."""

import math
from collections.abc import Iterable, Iterator

import pytest

from playhead.agents.plans.creation.plan_recorder import PlanRecorder, RecordingSettings
from playhead.agents.plans.creation.play_to_plan_recorder import PlayToPlanRecorder
from playhead.agents.plans.execution.run_plan_in_game import run_seed
from playhead.agents.plans.plan_file import PlanFile, parse_plan
from playhead.errors import CommandError, GameError, PlanError
from playhead.games.game_catalog import open_game
from playhead.games.plan_game_interface import Action
from playhead.playback.pads.pad import NEUTRAL, Button, Pad

from ..room import STEP, Room, agent_of, follow


def walk(x: float, y: float, steps: int) -> list[Pad]:
    """So many steps that way, with the stick all the way."""
    size = math.hypot(x, y)
    return [Pad((x / size, y / size))] * steps


def recorded(
    room: Room, pads: Iterable[Pad], settings: RecordingSettings | None = None
) -> PlanFile:  # fmt: skip
    recorder = PlanRecorder(room, STEP, settings)
    for pad in pads:
        room.hold(pad)
        room.step()
        recorder.step(pad, room.observe())
    recorder.close()
    assert room.listeners == 0
    return recorder.plan("room")


def places(file: PlanFile) -> list[tuple[float, float]]:
    return [(node.location[0], node.location[1]) for node in file.plan.nodes if node.location]


def press(room: Room, id: int) -> Iterator[Pad]:
    """A press, as the game does it."""
    yield from room.perform("press", room.actors[id])


RAW = RecordingSettings(period=0.5, raw=True)
SHORT = RecordingSettings(period=0.4)


def test_places_are_noted_from_time_to_time_and_not_while_one_stands():
    file = recorded(Room(), [*walk(1, 0, 20), *[NEUTRAL] * 30, *walk(0, 1, 10)], RAW)
    assert places(file) == [(2, 0), (4, 0), (6, 0), (8, 0), (8, 0.8), (8, 2.8)]


def test_places_on_a_straight_walkable_line_are_left_out():
    pads = [*walk(1, 0, 20), *walk(0, 1, 20)]
    assert places(recorded(Room(), pads, RecordingSettings(period=0.5))) == [(8, 0), (8, 8)]


def test_a_line_that_the_map_does_not_walk_straight_keeps_its_places():
    class Around(Room):
        def path(self, start, goal, near):  # type: ignore[no-untyped-def]
            return None

    file = recorded(Around(), walk(1, 0, 20), RecordingSettings(period=0.5))
    assert places(file) == [(2, 0), (4, 0), (6, 0), (8, 0)]


def test_an_action_and_its_target_are_read_from_its_event_whatever_was_pressed():
    room = Room()
    room.add(10, "button", (4, 0), "red button")

    def pads() -> Iterator[Pad]:
        yield from walk(1, 0, 8)
        yield from press(room, 10)
        yield from walk(0, 1, 10)

    file = recorded(room, pads())
    assert [node.title for node in file.plan.nodes] == ["press red button", "go to (3.2, 4, 0)"]
    again = Room()
    again.add(10, "button", (4, 0), "red button")
    assert follow(again, agent_of(again, file.plan)).failure is None


def test_places_from_which_one_may_come_upon_what_is_done_by_coming_there_are_left_out():
    def recorded_with(touch: float) -> list[str]:
        room = Room()
        room.plan_actions = {"press": Action("press", 0.5, touch=touch)}
        room.add(10, "button", (8, 4), "red button")

        def pads() -> Iterator[Pad]:
            yield from [*walk(1, 0, 20), *walk(0, 1, 4), *walk(1, 0, 4), *walk(0, 1, 4)]
            yield from press(room, 10)
            yield NEUTRAL

        return [node.title for node in recorded(room, pads(), SHORT).plan.nodes]

    assert recorded_with(0.0) == [
        "go to (8, 0, 0)", "go to (8, 1.6, 0)", "go to (9.6, 1.6, 0)", "press red button",
    ]  # fmt: skip
    assert recorded_with(3.0) == ["go to (8, 0, 0)", "press red button"]


def test_the_nearest_actor_that_stays_is_proposed_in_a_comment_or_taken():
    def room() -> Room:
        room = Room()
        room.add(10, "button", (8.5, 0.5), "red button")
        room.add(20, "foe", (8, 0.1), "foe")
        room.add(21, "foe", (8, 0.1), "foe")  # which of the two nobody could tell
        return room

    file = recorded(room(), walk(1, 0, 20))
    assert "- {location: [8.0, 0.0, 0.0]} # red button is 0.7 away" in file.text()
    file = recorded(room(), walk(1, 0, 20), RecordingSettings(take_actors=True))
    assert "- {actor: red button} # was [8, 0, 0]" in file.text()
    file = recorded(room(), walk(1, 0, 20), RecordingSettings(near=0.5))
    assert "#" not in file.text()


def test_what_was_done_to_actors_that_come_and_go_becomes_a_rule():
    room = Room()
    room.validators.validates("hit", event="gone")(type("Gone", (_Silent,), {}))
    for id in (20, 21):
        room.add(id, "foe", (5, 0.0 + id), "foe")

    def pads(*ids: int) -> Iterator[Pad]:
        yield NEUTRAL
        for id in ids:
            room.add(id, "foe", (room.position[0] + 1, 0), "foe")
            yield from walk(1, 0, 12)
            room.tell("gone", id)
            room.actors.pop(id)
            yield NEUTRAL

    file = recorded(room, pads(20, 21))
    assert [rule.title for rule in file.plan.rules] == ["hit foe"]
    assert [node.title for node in file.plan.nodes if node.action] == []


def test_nothing_played_is_no_plan_and_bad_settings_are_refused():
    with pytest.raises(PlanError, match="nothing was recorded"):
        recorded(Room(), [NEUTRAL] * 10)
    with pytest.raises(CommandError, match="period of 0 s"):
        PlanRecorder(Room(), STEP, RecordingSettings(period=0.0))
    with pytest.raises(CommandError, match="near -1"):
        PlanRecorder(Room(), STEP, RecordingSettings(near=-1.0))


def test_a_game_without_a_plans_side_is_refused():
    with open_game("arena:yard") as game, pytest.raises(GameError, match="can't be driven by"):
        PlayToPlanRecorder(game)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seed"), [("arena:dungeon", 3), ("arena:village", 4)])
def test_a_recorded_play_of_a_level_is_a_plan_that_finishes_under_another_seed(game, seed):
    pytest.importorskip("pymunk")
    with open_game(game, seed=seed) as opened:
        play = PlayToPlanRecorder(opened)
        while not opened.observe().finished:
            play.game.step()
    file = parse_plan(play.recorder.plan(game, "Recorded.").text())
    assert file.text().startswith("# Recorded.\n")
    titles = [node.title for node in file.plan.nodes]
    if game == "arena:dungeon":
        actions = [title for title in titles if not title.startswith("go to")]
        assert "interact switch" in actions
        assert actions[-3:] == [
            "jump lava pit", "take coin behind the lava", "interact shrine",
        ]  # fmt: skip
    else:
        assert titles[:2] == ["dismiss", "dismiss"]
        assert "buy lamp" in titles
        rules = [rule.title for rule in file.plan.rules]
        assert "dismiss popup" in rules
        assert any(title.startswith("attack ") for title in rules)
    outcome = run_seed(file, game, seed + 1, None, {})
    assert outcome.failure is None


def test_a_jump_on_the_spot_is_an_action_and_one_up_a_ledge_is_the_way():
    pytest.importorskip("pymunk")
    with open_game("arena:dungeon", seed=3) as game:
        play = PlayToPlanRecorder(game)
        for step in range(120):
            play.game.hold(Pad(held=int(Button.B) if step < 4 else 0))
            play.game.step()
    assert [n.title for n in play.recorder.plan("arena:dungeon").plan.nodes] == ["jump"]


class _Silent:
    def measure(self, scene: object) -> dict[str, float]:
        return {}

    def expect(self, before: object, after: object) -> str:
        return ""
