"""Clips of plans that were carried out in the dungeon, and files of plans."""

from pathlib import Path

import msgspec
import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)
pytest.importorskip("pymunk")

from playhead.agents.plans.execution.run_plan_in_game import run_plan, run_seed
from playhead.agents.plans.plan_file import PlanFile, load_plan, parse_plan, shipped_plan
from playhead.games.arena.adventure.adventure_game import AdventureGame
from playhead.games.arena.adventure.world.level_loader import level_path, load_level

TEXT = """\
# Through the dungeon.
game: arena:dungeon
nodes:
  - {actor: switch, action: interact}  # opens the door
  # Where one waits.
  - location: [-12, -6, 0]
    wait: 1
  - {actor: shrine, action: interact}
rules:
  # Whoever comes near.
  - when: [{actor: enemy, within: 4}]
    priority: 10
    action: attack
"""


def carried_out(file: PlanFile, clip: Path) -> Path:
    """A clip of a plan that was carried out in the dungeon."""
    run_seed(file, "arena:dungeon", 1, None, {}, clip=clip)
    return clip


@pytest.fixture(scope="session")
def plan_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plan that comes along with the dungeon, to its good end."""
    path = shipped_plan("arena:dungeon")
    assert path is not None
    return carried_out(load_plan(path), tmp_path_factory.mktemp("plan") / "run.mcap")


@pytest.fixture(scope="session")
def failed_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan whose first node can't be done in its time."""
    file = parse_plan("nodes:\n  - {actor: switch, action: interact, time_limit: 1}\n")
    return carried_out(file, tmp_path_factory.mktemp("plan") / "failed.mcap")


@pytest.fixture(scope="session")
def out_of_reach_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan whose first action fails its validation: the switch is three metres up."""
    level = load_level(level_path("dungeon"))
    area = level.areas["dungeon"]
    fixtures = tuple(
        msgspec.structs.replace(one, up=3.0) if one.kind == "switch" else one
        for one in area.fixtures
    )
    areas = {"dungeon": msgspec.structs.replace(area, fixtures=fixtures)}
    clip = tmp_path_factory.mktemp("plan") / "out-of-reach.mcap"
    with AdventureGame(msgspec.structs.replace(level, areas=areas), seed=1) as game:
        run_plan(parse_plan("nodes:\n  - {actor: switch, action: interact}\n"), game, clip=clip)
    return clip


@pytest.fixture(scope="session")
def short_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan that is done after a few frames: for tests to which the recording is of no matter."""
    file = parse_plan("nodes:\n  - {location: [-13, -8, 0], tolerance: 30, wait: 0.1}\n")
    return carried_out(file, tmp_path_factory.mktemp("plan") / "short.mcap")


@pytest.fixture
def plan_file(tmp_path: Path) -> Path:
    """A file with comments."""
    path = tmp_path / "level.plan.yaml"
    path.write_text(TEXT, "utf-8")
    return path
