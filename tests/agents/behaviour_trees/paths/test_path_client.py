"""The path search in a process of its own: it answers, is restarted, and holds nobody up."""

import math
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from playhead.agents.behaviour_trees.paths.path_client import RESTARTS, PathClient
from playhead.agents.behaviour_trees.paths.path_search import PathSearch
from playhead.games.walk_map import drawing_of, map_of_drawing

from ....support.process import run_python
from ....support.waits import until

ROOM = map_of_drawing(
    [
        ".......#..",
        ".#####.#..",
        ".....#.#..",
        "####.#.#..",
        ".....#....",
        "##########",
        "..........",
    ],
    1.0,
    (0.0, 0.0),
)
START, GOAL, BEYOND = (0.0, 2.0), (9.0, 6.0), (5.0, 0.0)


def test_a_way_leads_around_walls_and_turns_only_where_it_must():
    search = PathSearch(ROOM)
    points = search.route(START, GOAL)
    assert points is not None
    assert points[-1] == GOAL
    assert len(points) < 10
    free = drawing_of(ROOM)
    for x, y in points:
        assert free[len(free) - 1 - round(y)][round(x)] == "."
    length = sum(math.dist(a, b) for a, b in zip([START, *points], points))  # noqa: B905
    assert 22 < length < 30


def test_what_is_behind_a_wall_is_unreachable_and_so_is_what_is_off_the_map():
    search = PathSearch(ROOM)
    assert not search.is_reachable(START, BEYOND)
    assert search.route(START, BEYOND) is None
    assert search.route(START, (500.0, 0.0)) is None
    assert search.is_reachable(START, GOAL)


def test_answers_come_by_id_and_never_hold_up_who_asks():
    with PathClient(ROOM) as paths:
        began = time.perf_counter()
        far, no, whether = (
            paths.request(START, GOAL),
            paths.request(START, BEYOND),
            paths.request(START, GOAL, only_whether=True),
        )
        assert paths.answer(far) is None
        assert time.perf_counter() - began < 0.1
        assert paths.wait(whether).status == "found"
        assert paths.wait(no).status == "unreachable"
        answer = paths.wait(far)
        assert (answer.id, answer.status, answer.points[-1]) == (far, "found", GOAL)
        assert paths.answer(far) is None


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_a_process_that_is_killed_is_started_again_and_answers_what_was_open():
    with PathClient(ROOM, time_out=20.0) as paths:
        assert paths.wait(paths.request(START, GOAL)).status == "found"
        first = paths.pid
        os.kill(first, signal.SIGSTOP)
        asked = paths.request(START, GOAL)
        os.kill(first, signal.SIGKILL)
        assert paths.wait(asked).status == "found"
        assert paths.pid != first
        assert paths.starts == 2


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_a_process_that_dies_again_and_again_is_given_up():
    with PathClient(ROOM, time_out=20.0) as paths:
        for _ in range(RESTARTS + 1):
            asked = paths.request(START, GOAL)
            assert paths.pid
            os.kill(paths.pid, signal.SIGKILL)
            paths.wait(asked)
        assert paths.wait(paths.request(START, GOAL)).status == "lost"
        assert paths.pid == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_a_process_that_hangs_times_requests_out_and_goes_on_when_it_can():
    now = [0.0]
    with PathClient(ROOM, time_out=20.0, clock=lambda: now[0]) as paths:
        assert paths.wait(paths.request(START, GOAL)).status == "found"
        os.kill(paths.pid, signal.SIGSTOP)
        asked = paths.request(START, GOAL)
        began = time.perf_counter()
        for _ in range(1000):
            assert paths.answer(asked) is None
            now[0] += 0.016
        assert time.perf_counter() - began < 1.0
        now[0] += 20.0
        answer = paths.answer(asked)
        assert answer is not None
        assert answer.status == "timed out"
        os.kill(paths.pid, signal.SIGCONT)
        assert paths.wait(paths.request(START, GOAL)).status == "found"


@pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")
def test_the_process_ends_with_the_one_that_started_it():
    program = (
        "import os, sys\n"
        "from playhead.agents.behaviour_trees.paths.path_client import PathClient\n"
        "from playhead.games.walk_map import map_of_drawing\n"
        "paths = PathClient(map_of_drawing(['..'], 1.0, (0.0, 0.0)))\n"
        "paths.wait(paths.request((0.0, 0.0), (1.0, 0.0)))\n"
        "print(paths.pid, flush=True)\n"
        "os._exit(1)\n"
    )
    stat = Path(f"/proc/{int(run_python(program).stdout)}/stat")
    # Where nobody takes note of orphans it stays as a zombie.
    until(lambda: not stat.exists() or ") Z " in stat.read_text())
