"""How many of the village's demos are still finished when the village has changed.

    python -m benchmarks.games.changed_levels [--seeds N] [--latency N] [NAME …]

Each change is one that a game's next build may have. The demos are those that come along.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import yaml

from playhead.agents.playthrough.playthrough_settings import settings_for
from playhead.agents.replay.agent_factory import playthrough
from playhead.agents.replay.demos.demo_files import DemoFile, read_demos, shipped
from playhead.agents.replay.local_replay_game import LocalGame
from playhead.agents.replay.replay_batch import BatchSettings, ReplayBatch
from playhead.agents.replay.replay_outcome import RunReport
from playhead.games.arena.adventure.adventure_game import COLUMNS, OUTCOMES, AdventureGame
from playhead.games.arena.adventure.world.level_loader import level_path, load_level
from playhead.games.game_interface import Game
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.session import Session

GAME = "arena:village"
Level = dict[str, Any]
Change = Callable[[Level], object]


def _event(level: Level, id: str) -> dict[str, Any]:
    found: dict[str, Any] = next(event for event in level["events"] if event["id"] == id)
    return found


def _more_pages(id: str, count: int) -> Change:
    return lambda level: _event(level, id)["pages"].extend(["And so on."] * count)


def _fewer_pages(id: str) -> Change:
    return lambda level: _event(level, id)["pages"].pop()


def _reversed_options(id: str) -> Change:
    return lambda level: _event(level, id)["options"].reverse()


def _on_path(demo: str, row: int) -> tuple[str, float, float, bool]:
    """Where a demo walked in a row: area, place, and whether it went up or down on the map."""
    path = next(path for path in shipped(GAME) if demo in path.name)
    columns = read_demos([path], COLUMNS, (), OUTCOMES)[0].demo.columns
    x, y = columns["player_x"], columns["player_y"]
    upwards = abs(y[row + 5] - y[row - 5]) > abs(x[row + 5] - x[row - 5])
    return str(columns["level"][row]), float(x[row]), float(y[row]), bool(upwards)


def blocked(demo: str, row: int, width: float, aside: float = 0.0) -> Change:
    """Something new stands on the path: as wide as this, and its middle so far aside."""

    def change(level: Level) -> None:
        name, x, y, upwards = _on_path(demo, row)
        across = (1.0, 0.0) if upwards else (0.0, 1.0)
        thick = 0.6 if width > 1.0 else 1.0
        size = [width, thick] if upwards else [thick, width]
        at = [round(x + aside * across[0], 2), round(y + aside * across[1], 2)]
        area = next(area for area in level["areas"] if area["name"] == name)
        area["walls"].append({"name": "new wall", "at": at, "size": size, "height": 4})

    return change


def moved(who: str, x: float, y: float) -> Change:
    """A person or sign stands so far from where it was."""

    def change(level: Level) -> None:
        for area in level["areas"]:
            for one in area.get("people", []) + area.get("signs", []):
                if one["name"] == who:
                    one["at"] = [one["at"][0] + x, one["at"][1] + y]

    return change


def _renamed(id: str) -> Change:
    def change(level: Level) -> None:
        _event(level, id)["id"] = f"{id}_2"
        for area in level["areas"]:
            for person in area.get("people", []) + area.get("signs", []):
                person["says"] = [f"{id}_2" if one == id else one for one in person["says"]]

    return change


CHANGES: dict[str, Change] = {
    "as it was": lambda level: None,
    "two more pages: the elder": _more_pages("elder_asks", 2),
    "two more pages: the traveller": _more_pages("traveller_hurt", 2),
    "two more pages: the shop": _more_pages("shop_opens", 2),
    "one page less: the elder": _fewer_pages("elder_asks"),
    "one page less: the guard": _fewer_pages("guard_opens"),
    "options in another order: the elder": _reversed_options("elder_asks"),
    "options in another order: the traveller": _reversed_options("traveller_hurt"),
    "a new first article in the shop": lambda level: level["goods"].insert(
        0, {"kind": "rope", "price": 2}
    ),
    "an article less in the shop": lambda level: level["goods"].pop(0),
    "an event renamed: the sign": _renamed("sign_word"),
    "an event renamed: the elder": _renamed("elder_asks"),
    "a tree of 1 m on the path, in the village": blocked("1-errands", 260, 1.0),
    "a tree of 1 m on the path, in the forest": blocked("3-forest", 75, 1.0),
    "a wall of 6 m across the path, in the village": blocked("1-errands", 690, 6.0, 0.5),
    "moved 1 m: the elder": moved("elder", 1.0, 0.0),
    "moved 2 m: the sign": moved("gate sign", -1.5, 1.2),
    "moved 3 m: the traveller": moved("traveller", 2.5, 1.5),
    "moved 2 m: the shopkeeper": moved("shopkeeper", 2.0, 0.0),
    "moved 1.5 m: the guard": moved("guard", -1.5, 0.0),
}
"""The half of the changes that come along; the other half is kept for acceptance."""


def replay_changed(change: Change, seed: int, latency: int, demos: list[DemoFile]) -> RunReport:
    """Replay the village's demos in a village that has changed."""
    level = yaml.safe_load(level_path("village").read_text(encoding="utf-8"))
    change(level)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "village.level.yaml"
        path.write_text(yaml.safe_dump(level, sort_keys=False), encoding="utf-8")
        changed = load_level(path)
    settings = settings_for(GAME)
    made: Any = AdventureGame(changed, seed=seed)
    with made as game, Session(
        game.world, "8 MiB", handlers=game.handlers, on_check=UNATTENDED
    ) as session:  # fmt: skip
        game.attach(session)
        batch = ReplayBatch(
            demos, playthrough(settings),
            BatchSettings(latency, orders=settings.orders, screen=settings.screens.column),
        )  # fmt: skip
        report = None
        while report is None:
            if not batch.has_rest:
                batch.queue.start()
                batch.queue.begin_lap()
            report = batch.lap(LocalGame(cast(Game, game), session), seed)
    return report


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="changed_levels", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="a part of a change's name")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--latency", type=int, default=0, help="communication frames, at most")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    demos = read_demos(shipped(GAME), COLUMNS, (), OUTCOMES)
    for name, change in CHANGES.items():
        if options.names and not any(part in name for part in options.names):
            continue
        reports = [
            replay_changed(change, seed, options.latency, demos)
            for seed in range(1, 1 + options.seeds)
        ]
        finished = sum(one.finished for one in reports)
        failures = [
            {"seed": one.seed, "divergence": one.divergence and one.divergence.text,
             "message": one.failure.message}
            for one in reports if one.failure is not None
        ]  # fmt: skip
        facts = {"change": name, "finished": finished, "of": len(reports), "failures": failures}
        if options.json:
            print(json.dumps(facts), flush=True)
            continue
        print(f"{name}: {finished} of {len(reports)}", flush=True)
        for failure in failures:
            print(f"  seed {failure['seed']}: {failure['divergence']}; {failure['message']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
