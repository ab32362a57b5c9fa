"""The playthrough agent: its cost for each communication frame, and how many replays finish.

    python -m benchmarks.games.playthrough [DEMO …] [--game GAME] [--seeds N] [--latency N]
                                           [--skills 1,2]

The second is a report of its own: demos are replayed under many seeds, as fast as the game goes.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playhead.agents.playthrough.playthrough_settings import settings_for
from playhead.agents.replay.agent_factory import playthrough
from playhead.agents.replay.agent_interface import AgentFactory, AgentSpec, ReplayAgent
from playhead.agents.replay.demos.demo_files import DemoFile, read_demos, shipped
from playhead.agents.replay.game_description import columns_of, levels_of, outcomes_of
from playhead.agents.replay.local_replay_game import LocalGame
from playhead.agents.replay.replay_batch import BatchSettings, ReplayBatch
from playhead.agents.replay.replay_outcome import RunReport
from playhead.errors import GameError
from playhead.games.arena.adventure.adventure_game import COLUMNS, OUTCOMES
from playhead.games.game_catalog import open_game
from playhead.games.playable_interface import Observation
from playhead.playback.pads.pad import Pad
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.session import Session

from ..support.report_table import Line
from ..support.timing import Size

PROMISED = 1000.0
"""Microseconds of a communication frame, at most."""
GAME = "arena:village"
FEW = 8
"""With fewer rounds only the shortest demo is replayed."""


class Timed:
    """An agent whose steps are timed: CPU time of the thread, with all that it says."""

    def __init__(self, agent: ReplayAgent, spent: list[float]) -> None:
        self._agent, self._spent = agent, spent

    def __getattr__(self, name: str) -> Any:
        return getattr(self._agent, name)

    def step(self, seen: Observation) -> Pad:
        start = time.thread_time_ns()
        pad = self._agent.step(seen)
        self._spent.append((time.thread_time_ns() - start) / 1000)
        return pad


def measure(size: Size) -> list[Line]:
    demos = read_demos(shipped(GAME), COLUMNS, (), OUTCOMES)
    if size.rounds < FEW:
        demos = [min(demos, key=lambda one: len(one.demo))]
    spent: list[float] = []
    plain = playthrough(settings_for(GAME))

    def make(part: AgentSpec) -> ReplayAgent:
        timed: Any = Timed(plain(part), spent)
        return timed  # type: ignore[no-any-return]

    for seed in range(1, 1 + max(1, size.rounds // 20)):
        _replay(GAME, {}, seed, demos, make, 2)
    spent.sort()
    p99 = spent[min(len(spent) - 1, len(spent) * 99 // 100)]
    what = "a communication frame of the playthrough agent, with its traces"
    note = f"{len(spent)} frames of {GAME}"
    return [
        Line(f"{what}, median", statistics.median(spent), "µs", PROMISED, note),
        Line(f"{what}, p99", p99, "µs", PROMISED),
    ]


def _replay(
    name: str, settings: dict[str, Any], seed: int, demos: list[DemoFile], make: AgentFactory,
    latency: int, clips: Path | None = None,
) -> RunReport:  # fmt: skip
    numbers = settings_for(name)
    with open_game(name, seed=seed, **settings) as game, Session(
        game.world, "64 MiB", handlers=game.handlers, on_check=UNATTENDED, about=game.about
    ) as session:  # fmt: skip
        game.attach(session)
        batch = ReplayBatch(
            demos, make, BatchSettings(latency, clips=clips, orders=numbers.orders,
                                  screen=numbers.screens.column),
        )  # fmt: skip
        batch.queue.start()
        batch.queue.begin_lap()
        report = batch.lap(LocalGame(game, session), seed)
    if report is None:
        raise GameError(f"{name}, seed {seed}: {batch.state['outcomes'][-1]['failure']['message']}")
    return report


# --- how many finish ---------------------------------------------------------------------------


def finish_rates(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Replay under each skill and seed; a line of facts for each skill."""
    lines = []
    for skill in options.skills or [None]:
        settings = {} if skill is None else {"skill": skill}
        with open_game(options.game, seed=1, **settings) as game:
            demos = read_demos(
                options.demos or shipped(options.game), columns_of(game), levels_of(game),
                outcomes_of(game),
            )  # fmt: skip
        make, reports = playthrough(settings_for(options.game)), []
        for seed in range(options.first, options.first + options.seeds):
            reports.append(_replay(
                options.game, settings, seed, demos, make, options.latency, options.clips
            ))  # fmt: skip
            _tell_progress(len(reports), options.seeds, reports)
        lines.append(_facts(options.game, skill, reports))
    return lines


def _tell_progress(done: int, of: int, reports: list[RunReport]) -> None:
    if sys.stderr.isatty():
        finished = sum(report.finished for report in reports)
        print(f"\r{done} of {of}, {finished} finished", end="", file=sys.stderr, flush=True)


def _facts(game: str, skill: int | None, reports: list[RunReport]) -> dict[str, Any]:
    facts = [report.facts for report in reports]
    finished = [one for one in facts if one["finished"]]
    return {
        "game": game, "skill": skill, "runs": len(facts), "finished": len(finished),
        "share": len(finished) / len(facts),
        "seconds": statistics.median(one["seconds"] for one in facts),
        "recoveries": sum(one["recoveries"] for one in facts),
        "failures": [
            {"seed": one["seed"], "message": one["failure"]["message"], "clip": one["clip"]}
            for one in facts if one["failure"] is not None
        ],
    }  # fmt: skip


def line_text(line: dict[str, Any]) -> str:
    """A line of facts to be read."""
    name = line["game"] if line["skill"] is None else f"{line['game']}, skill {line['skill']}"
    text = (
        f"{name}: {line['finished']} of {line['runs']} finished ({line['share']:.1%}),"
        f" {line['seconds']:.1f} s each (median), {line['recoveries']} recoveries"
    )
    for failure in line["failures"]:
        text += f"\n  seed {failure['seed']}: {failure['message']}"
    return text


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="playthrough", description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "demos", nargs="*", type=Path, metavar="DEMO", help="those that come along by default"
    )
    parser.add_argument("--game", default="arena:village")
    parser.add_argument("--seeds", type=int, default=100, help="how many")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--latency", type=int, default=2, help="communication frames, at most")
    parser.add_argument(
        "--skills", type=lambda text: [int(one) for one in text.split(",")], default=None,
        help="doom: such as 1,2,3",
    )  # fmt: skip
    parser.add_argument("--clips", type=Path, help="keep a clip of each failure there")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    if options.seeds < 1:
        parser.error("--seeds: replay at least once")
    lines = finish_rates(options)
    print(json.dumps(lines) if options.json else "\n".join(map(line_text, lines)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
