"""`playhead replay` as people and scripts type it."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from playhead.bus.client.client import Client
from playhead.cli.agents.seeds_and_exit_code import seeds_of
from playhead.errors import BusError, CommandError
from playhead.recorder.clips.clip_source import ClipSource

from ...agents.replay.corridor import record_demo
from ...support.process import ON_THE_BUS, PLAYHEAD, Process, run_process
from ...support.waits import until

HALLS = Path(__file__).parents[2] / "agents" / "replay" / "corridor.py"
WALLED = """
import halls

def game(seed=None):
    return halls.Corridor(seed=seed, wall=5.0)
"""


def replay(*args: str, headless: bool = True) -> subprocess.CompletedProcess[str]:
    return run_process(PLAYHEAD, "replay", *args, *["--headless"] * headless)


@pytest.fixture
def demos(tmp_path, monkeypatch):
    """Three demos: the second follows the first, the third comes to where a wall may stand."""
    shutil.copy(HALLS, tmp_path / "halls.py")
    (tmp_path / "walled.py").write_text(WALLED)
    places = {"one": (0.0, 1.5), "two": (1.5, 3.0), "three": (4.5, 5.9)}
    for name, (start, end) in places.items():
        record_demo(tmp_path / f"{name}.csv", start, end)
    return ["one.csv", "two.csv", "three.csv"]


@pytest.mark.slow
def test_all_demos_are_replayed_for_each_seed_and_each_time(demos):
    done = replay(
        "halls:Corridor", *demos, "--times", "2", "--seeds", "3..4", "--clips", "kept", "--json"
    )
    assert done.returncode == 0, done.stderr
    assert not Path("kept").exists()  # nothing failed
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(run["seed"], run["lap"]) for run in runs] == [(3, 1), (3, 2), (4, 1), (4, 2)]
    for run in runs:
        assert {"seed", "finished", "seconds", "recoveries", "transitions", "failure", "clip"} <= {
            *run
        }
        assert run["finished"]
        assert (run["failure"], run["clip"]) == (None, None)
        assert [demo["standing"] for demo in run["demos"]] == ["finished"] * 3
        assert run["seconds"] > 1.0


def test_a_failure_ends_with_1_and_its_clip_is_kept(demos, tmp_path):
    done = replay("walled:game", *demos, "--clips", "kept", "--latency", "1", "--seed", "5")
    assert done.returncode == 1, done.stderr
    assert "0 of 1 runs finished" in done.stdout
    found = re.search(r"(the replay of three\.csv .*) — frame (\d+), ([\d.]+) s", done.stdout)
    assert found is not None, done.stdout
    with ClipSource.open(tmp_path / "kept" / "three-seed5.mcap") as clip:
        (failed,) = [mark for mark in clip.marks() if mark.kind == "check"]
    assert failed.frame == int(found[2])
    assert failed.name == found[1]
    assert "clip" in done.stdout


@pytest.mark.slow
def test_the_agent_plays_from_a_process_of_its_own(demos):
    done = replay("halls:Corridor", "one.csv", "three.csv", "--outside", "--json", "--seed", "9")
    assert done.returncode == 0, done.stderr
    (run,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert (run["seed"], run["finished"]) == (9, True)
    failed = replay("walled:game", "three.csv", "--outside", "--clips", "kept")
    assert failed.returncode == 1, failed.stderr
    assert len(list(Path("kept").glob("*.mcap"))) == 1
    assert "CHECK FAILED" in failed.stderr
    assert "open it" not in failed.stderr  # nobody could: the service ends with the command


class OnTheBus(Process):
    """`playhead replay` in a process of its own, with its game on the bus."""

    def __init__(self, *args: str) -> None:
        super().__init__(PLAYHEAD, "replay", *args, *ON_THE_BUS, "--json")

    def tool(self) -> Client:
        """A tool on the same bus."""
        return Client(self.find(r"tcp://\S+", "stderr")[0], name="tool")

    def report(self) -> tuple[int, list[dict[str, Any]]]:
        """Wait for its end: the exit code, and the report of each run."""
        code, out, err = self.end()
        assert "Traceback" not in err, err
        return code, [json.loads(line) for line in out.splitlines()]


def progress_of(client: Client) -> dict[str, Any]:
    """How the replays stand; nothing while one game has ended and the next has not greeted."""
    try:
        published = client.published("replay")
    except BusError:
        return {}
    return {} if published is None else published.body


@pytest.mark.slow
def test_with_a_tool_connected_a_failure_stops_the_game_there(demos):
    with OnTheBus("walled:game", *demos) as replaying:
        with replaying.tool() as client:
            until(lambda: client.snapshot().time.mode != "live", client)
            stands, result = client.snapshot().time, progress_of(client)
            client.leave()
        code, (run,) = replaying.report()
    assert code == 1
    assert stands.frame == run["failure"]["frame"]
    assert stands.focus == run["failure"]["object"]
    assert [demo["name"] for demo in result["demos"]] == ["one", "two", "three"]


@pytest.mark.slow
def test_the_report_is_of_all_seeds(demos):
    reports = []
    with OnTheBus("walled:game", "three.csv", "--seeds", "3..4") as replaying:
        with replaying.tool() as client:
            for count in (1, 2):  # the next game is at the same address

                def report(count: int = count) -> list[dict[str, Any]] | None:
                    outcomes = progress_of(client).get("outcomes", [])
                    stands = client.time is not None and client.time.mode != "live"
                    return outcomes if stands and len(outcomes) >= count else None

                reports.append(until(report, client))
                client.leave()
        replaying.report()
    assert [[one["seed"] for one in report] for report in reports] == [[3], [3, 4]]


def test_a_demo_can_be_skipped_from_outside(demos):
    with OnTheBus("walled:game", "three.csv", "--times", "50", "--no-pause") as replaying:
        with replaying.tool() as client:
            until(lambda: progress_of(client).get("now") is not None, client)
            client.call("replay", {"do": "skip"})
            until(lambda: progress_of(client).get("lap", 0) >= 2, client)
            client.call("replay", {"do": "stop"})
        code, runs = replaying.report()
    assert code == 0
    assert len(runs) == 2
    assert runs[0]["demos"][0]["standing"] == "skipped"


@pytest.mark.slow
def test_a_game_without_saved_games_is_begun_anew_each_time(tmp_path):
    record = ("demo-record", "arena:yard", "walk.csv", "--seconds", "3", "--seed", "3")
    run_process(PLAYHEAD, *record, "--headless", check=True)
    done = replay("arena:yard", "walk.csv", "--times", "2", "--seed", "3", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [json.loads(line)["lap"] for line in done.stdout.splitlines()] == [1, 2]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("arena:cave", "one.csv"), "arena:cave is unknown"),
        (("halls:Bare", "one.csv"), "bare has no pad"),
        (("halls:Corridor",), "no demos of halls:Corridor come along"),
        (("arena:yard",), "no demos of arena:yard come along"),
        ((), "write GAME DEMO.csv"),
        (("one.csv",), "one.csv is no game"),
        (("halls:Corridor", "none.csv"), "none.csv: the demo can't be read"),
        (("halls:Corridor", "torn.csv"), "torn.csv:2: 3 columns"),
        (("halls:Corridor", "halls.py"), "halls.py:3: 1 columns"),
        (("halls:Corridor", "one.csv", "one.csv"), "named twice"),
        (("halls:Corridor", "one.csv", "lonely.csv"), "lonely.start.save is not there"),
        (("halls:Corridor", "one.csv", "--times", "0"), "times 0"),
        (("halls:Corridor", "one.csv", "--latency", "-1"), "latency -1"),
        (("halls:Corridor", "one.csv", "--seeds", "9..1"), "--seeds '9..1'"),
        (("halls:Corridor", "one.csv", "--pause"), "need a window or --bus"),
        (("halls:Corridor", "one.csv", "--settings", "none.yaml"), "none.yaml"),
        (("--connect", "tcp://127.0.0.1:1", "one.csv", "--patience", "0.3"), "no playhead answers"),
    ],
)
def test_mistakes_are_one_or_two_plain_lines(demos, mistaken, args, message, tmp_path):
    (tmp_path / "torn.csv").write_text("a,b,c\n1,2,3\n4,5,6\n")
    shutil.copy("three.csv", "lonely.csv")
    assert message in mistaken("replay", *args, "--headless")


def test_errors_are_objects_for_programs(demos):
    done = replay("arena:cave", "one.csv", "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["kind"] == "game"


def test_seeds_are_one_or_a_range():
    assert list(seeds_of(None, None)) == [None]
    assert list(seeds_of(7, None)) == [7]
    assert list(seeds_of(None, "1..3")) == [1, 2, 3]
    assert list(seeds_of(None, "3")) == [3]
    for wrong in ("three", "3..1", "a..b", ".."):
        with pytest.raises(CommandError):
            seeds_of(None, wrong)
