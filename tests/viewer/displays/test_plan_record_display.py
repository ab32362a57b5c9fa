"""A plan recorded from a person's play in a window, on a real X server, and then carried out."""

import math
import re
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from playhead.agents.plans.plan_file import load_plan
from playhead.bus.client.client import Client

from ...support.process import PLAYHEAD, run_process
from ...support.waits import LIMIT, until
from ..display import ViewerWindow, needs_display

pytestmark = needs_display

COIN, BESIDE_THE_DOOR = (-7.5, -6.0), (-7.8, 1.0)
PACE = 6.0
"""Metres that the player comes in a second in which keys are held, at most."""


class Person:
    """Sees where the player stands, and holds the keys that lead to a place as it is on the screen.

    After each look they are held for so long as the way needs: who looks late walks past nothing.
    """

    def __init__(self, one: ViewerWindow, client: Client) -> None:
        self._display, self._client = one.display, client

    def go(self, to: tuple[float, float], near: float) -> None:
        """Walk to within `near` of a place."""
        end = monotonic() + LIMIT
        while (seen := self._look(to))[0] > near:
            away, angle = seen
            assert monotonic() < end, f"{away:.1f} m from {to}"
            ahead, right = math.cos(angle), -math.sin(angle)
            way = {"w": ahead, "s": -ahead, "d": right, "a": -right}
            self._hold([key for key, size in way.items() if size > 0.4], min(0.5, away / PACE))

    def _look(self, to: tuple[float, float]) -> tuple[float, float]:
        """How far a place is away, and how far to the left of where the camera looks."""
        until(self._stands)
        (x, y, _), (cx, cy, _) = (self._row(type).position for type in ("player", "camera"))
        angle = math.atan2(to[1] - y, to[0] - x) - math.atan2(y - cy, x - cx)
        return math.dist((x, y), to), angle

    def _stands(self) -> bool:
        player = self._row("player").values
        return player["pad_held"] == 0 and math.hypot(*player["velocity"]) < 0.1

    def _row(self, type: str) -> Any:
        rows = self._client.objects(self._frame())
        return next(row for row in rows if row.type == type)

    def _hold(self, keys: list[str], seconds: float) -> None:
        downs, ups = (
            [word for key in keys for word in (verb, key)] for verb in ("keydown", "keyup")
        )
        self._display.xdotool(*downs, "sleep", f"{seconds:.2f}", *ups)
        frame = self._frame()
        # The keys have come to the game by then.
        until(lambda: self._frame() > frame + 10)

    def _frame(self) -> int:
        return self._client.snapshot().time.frame


def endpoint(one: ViewerWindow) -> str:
    """Where the game answers: its window was told."""
    until(lambda: one.children())
    words = Path(f"/proc/{one.children()[0]}/cmdline").read_text().split("\0")
    return next(word for word in words if word.startswith("tcp://"))


@pytest.mark.slow
def test_a_person_records_a_plan_in_a_window_and_it_is_carried_out(shown, tmp_path):
    path = tmp_path / "mine.plan.yaml"
    one = shown("plan", "record", "arena:dungeon", path, "--seed", "1")
    one.display.window()
    with Client(endpoint(one), timeout=LIMIT) as client:
        person = Person(one, client)
        person.go(COIN, 0.4)
        person.go(BESIDE_THE_DOOR, 1.0)
    code, out, err = one.leave()
    assert (code, err) == (0, "")
    assert "mine.plan.yaml: " in out
    nodes = load_plan(path).plan.nodes
    done = [(node.action, node.actor) for node in nodes if node.action]
    assert done == [("take", "coin by the door")]
    played = re.match(r"# Recorded: ([\d.]+) s of play", path.read_text())
    assert played
    # There was a node for each second, before those on a straight line were left out.
    assert len(nodes) - len(done) < float(played[1])
    run = run_process(PLAYHEAD, "plan", "run", path)
    assert run.returncode == 0, run.stdout
    assert "1 of 1 runs finished" in run.stdout
