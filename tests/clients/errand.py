"""The errand of the clients' samples, which the playthrough tester plays, and who runs it first."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..support.process import PLAYHEAD, Process, run_process
from .conftest import RunningService

PERSON = '''
import math
import playhead as ph

calls = 0

def person(seen):
    """Lever, coin, door, exit; on the plan, in metres."""
    global calls
    calls += 1
    here = plan(seen.position)
    press = ph.Button.A if calls % 8 == 0 else 0
    if seen.message:
        return ph.Pad(held=press)
    if not seen.extras["door"]:
        goal = (3.0, 5.4)
        if math.dist(here, goal) < 0.3:
            return ph.Pad(held=press)
    elif seen.items:
        goal = plan(seen.items[0].position)
    else:
        goal = (4.5, 4.0) if here[0] < 4.3 else (11.0, 4.0)
    away = max(math.dist(here, goal), 1e-6)
    push = min(1.0, max(0.3, away)) / away
    return ph.Pad(((goal[0] - here[0]) * push, (goal[1] - here[1]) * push))

def plan(position):
    return {plan}
'''


def wait_for_game(service: RunningService) -> None:
    """Until the game has said how things stand."""
    with service.client() as client:
        while client.published("observation") is None:
            client.dispatch(0.05)


def check_path(service: RunningService) -> None:
    """The game knows the way: straight on, and through the door that is in the wall."""
    with service.client() as client:
        assert client.call("replay.game")["paths"]
        start = client.published("observation").body["seen"]["position"]
        beyond = [11 * one for one in start]
        ways = [
            client.call("replay.path", {"start": start, "goal": goal, "near": 0.5})
            for goal in (start, beyond)
        ]
    assert ways[0] == [start]
    assert [len(way) for way in ways] == [1, 2]
    assert ways[1][1] == beyond


def recorded(service: RunningService, folder: Path, plan: str) -> Path:
    """A demo of the errand, which a script has run over the bus.

    Args:
        plan: How a position is read: Python for the two metres on the plan.
    """
    check_path(service)
    script = folder / "person.py"
    script.write_text(PERSON.replace("{plan}", plan))
    out = folder / "errand.csv"
    done = run_process(
        PLAYHEAD, "demo-record", "--connect", service.address, out, "--script", script,
        "--seed", "0", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    facts = json.loads(done.stdout)
    assert facts["finished"], facts
    assert facts["rows"] > 100, facts
    return out


def replayed(service: RunningService, demo: Path, seeds: str) -> list[dict[str, Any]]:
    """A report for each seed."""
    done = run_process(
        PLAYHEAD, "replay", "--connect", service.address, demo, "--seeds", seeds, "--json",
        limit=300.0,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@contextmanager
def game(service: RunningService, *command: object) -> Iterator[Process]:
    """A sample, connected to the service."""
    with Process(*command) as process:
        wait_for_game(service)
        yield process


def check(runs: list[dict[str, Any]], seeds: int) -> None:
    """All came to the exit, in another way than the demo, and luck was helped where it lacked."""
    assert [run["finished"] for run in runs] == [True] * seeds, runs
    notes = [note for run in runs for demo in run["demos"] for note in demo["notes"]]
    if seeds > 4:
        helped = [note for note in notes if note.startswith("debug function luck(True) at row")]
        assert 0 < len(helped) < seeds, notes
