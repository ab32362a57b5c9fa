"""The plan of `arena:dungeon`: it finishes under every seed, and a planted bug fails its action."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import msgspec
import pytest

from playhead.agents.plans.execution.run_plan_in_game import run_plan
from playhead.agents.plans.plan_file import PlanFile, load_plan, parse_plan, shipped_plan
from playhead.agents.plans.plan_outcome import PlanOutcome
from playhead.games.arena.adventure import adventure
from playhead.games.arena.adventure.adventure import Adventure
from playhead.games.arena.adventure.adventure_game import AdventureGame
from playhead.games.arena.adventure.world import player_actions
from playhead.games.arena.adventure.world.level import AdventureLevel, Fixture
from playhead.games.arena.adventure.world.level_loader import level_path, load_level
from playhead.recording.open_file import open as open_recording

PATH = shipped_plan("arena:dungeon")
assert PATH is not None
PLAN = load_plan(PATH)


def dungeon(change: Callable[[Fixture], Fixture] = lambda fixture: fixture) -> AdventureLevel:
    """The level with its switch and shrine changed."""
    level = load_level(level_path("dungeon"))
    area = level.areas["dungeon"]
    fixtures = tuple(change(fixture) for fixture in area.fixtures)
    areas = {"dungeon": msgspec.structs.replace(area, fixtures=fixtures)}
    return msgspec.structs.replace(level, areas=areas)


def moved(seed: int) -> AdventureLevel:
    """Switch and shrine somewhere else, each where somebody can come to it."""
    rng = Random(seed)

    def move(fixture: Fixture) -> Fixture:
        (x, y), wide = fixture.at, 1.5 if fixture.kind == "switch" else 1.0
        at = (x + rng.uniform(0.0 if wide > 1 else -1.0, wide), y + rng.uniform(-wide, wide))
        return msgspec.structs.replace(fixture, at=at)

    return dungeon(move)


def played(
    level: AdventureLevel, seed: int = 3, plan: PlanFile = PLAN, clips: Path | None = None
) -> PlanOutcome:
    with AdventureGame(level, seed=seed) as game:
        return run_plan(plan, game, seed=seed, clips=clips)


def validations(outcome: PlanOutcome) -> list[str]:
    return [node.validation for node in outcome.nodes]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_plan_finishes_with_moved_actors_and_enemies_where_chance_puts_them(seed):
    outcome = played(moved(seed), seed)
    assert outcome.failure is None
    assert validations(outcome) == ["passed"] * 3
    assert outcome.rules["attack enemy"] >= 1


@pytest.mark.slow
@pytest.mark.parametrize("first", [1, 11])
def test_the_plan_finishes_under_ten_seeds_from(first):
    failed = {}
    for seed in range(first, first + 10):
        outcome = played(moved(seed), seed)
        if outcome.failure is not None:
            failed[seed] = outcome.failure.message
    assert failed == {}


@pytest.mark.slow
def test_with_the_switch_out_of_reach_exactly_its_interact_fails(tmp_path):
    high = dungeon(
        lambda f: msgspec.structs.replace(f, up=3.0) if f.kind == "switch" else f
    )  # fmt: skip
    outcome = played(high, clips=tmp_path)
    assert outcome.failure is not None
    assert (outcome.failure.action, outcome.failure.actor) == ("interact", "switch")
    assert validations(outcome) == ["timed_out", "none", "none"]
    assert outcome.clip is not None
    with open_recording(outcome.clip) as recording:
        marks = [mark for mark in recording.marks if mark.object == outcome.failure.object]
        (failed,) = recording.transitions(outcome.failure.object, "validation")[-1:]
        (check,) = recording.checks
        assert (check.expression, Path(check.file).name, check.line) == (
            "- {actor: switch, action: interact}", "dungeon.plan.yaml", 4,
        )  # fmt: skip
    assert any("no event 'toggled'" in f"{mark.name} {mark.note}" for mark in marks)
    assert failed.target == "timed_out"
    assert (failed.values["switch before"], failed.values["switch after"]) == (
        "off", "off",
    )  # fmt: skip


def test_what_it_costs_and_how_far_it_is_are_curves_of_the_recording(tmp_path):
    late = parse_plan("nodes: [{actor: switch, action: interact, time_limit: 2}]")
    outcome = played(dungeon(), plan=late, clips=tmp_path)
    assert outcome.clip is not None
    with open_recording(outcome.clip) as recording:
        curves = {
            name: recording.watches(1, name)[1]
            for name in ("plan.game step", "plan.distance", "plan.paths", "plan.node")
        }
    assert (curves["plan.game step"] > 0.0).all()
    assert curves["plan.distance"][0] > curves["plan.distance"].min()
    assert curves["plan.paths"].max() >= 1
    assert set(curves["plan.node"].tolist()) == {1}


@pytest.mark.slow
def test_a_kill_that_counts_twice_fails_exactly_the_attack(monkeypatch):
    hurt = Adventure.hurt

    def twice(quest: Adventure, foe: adventure.Enemy, damage: float) -> None:
        kills = quest.kills
        hurt(quest, foe, damage)
        quest.kills += quest.kills - kills

    monkeypatch.setattr(Adventure, "hurt", twice)
    outcome = played(dungeon())
    assert outcome.failure is not None
    assert outcome.failure.action == "attack"
    assert "the kill count grew by 2, not by 1" in outcome.failure.message
    assert outcome.failure.before["kills"] == 0
    assert outcome.failure.after["kills"] == 2
    assert {a.validation for a in outcome.actions if a.action != "attack"} <= {"passed", "pending"}


@pytest.mark.slow
def test_a_door_that_opens_by_itself_fails_exactly_the_interact_with_its_switch(monkeypatch):
    step = Adventure.step

    def opens(quest: Adventure, pad: object = None) -> None:
        if quest.tick == 120:
            quest.story.set("door unlocked")
        step(quest, pad)

    monkeypatch.setattr(Adventure, "step", opens)
    outcome = played(dungeon())
    assert outcome.failure is not None
    assert (outcome.failure.action, outcome.failure.actor) == ("interact", "switch")
    assert validations(outcome) == ["failed", "none", "none"]
    doors = {n: v for n, v in outcome.failure.before.items() if n.startswith("locked door")}
    assert set(doors.values()) == {"open"}


@pytest.mark.slow
def test_a_shrine_that_does_nothing_fails_exactly_its_interact(monkeypatch):
    use = player_actions._use

    def inert(quest: Adventure, device: player_actions.Device) -> None:
        if device.type != "shrine":
            use(quest, device)

    monkeypatch.setattr(player_actions, "_use", inert)
    outcome = played(dungeon())
    assert outcome.failure is not None
    assert (outcome.failure.action, outcome.failure.actor) == ("interact", "shrine")
    assert validations(outcome) == ["passed", "passed", "timed_out"]


def test_without_the_jump_the_shrine_is_reported_unreachable_at_once():
    plan = parse_plan("nodes: [{actor: switch, action: interact}, {actor: shrine}]")
    outcome = played(dungeon(), plan=plan)
    assert outcome.failure is not None
    assert outcome.failure.kind == "navigation"
    assert "there is no way from" in outcome.failure.message


@pytest.mark.slow
def test_two_runs_of_a_plan_under_one_seed_end_in_the_same_state():
    hashes = []
    for _ in range(2):
        with AdventureGame("dungeon", seed=5) as game:
            run_plan(PLAN, game)
            hashes.append(game.state_hash())
    assert hashes[0] == hashes[1]
