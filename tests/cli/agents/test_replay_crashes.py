"""`playhead replay` of games that crash, hang or fail a check of their own: findings, no ends."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from playhead.agents.replay.demos.demo_files import shipped
from playhead.recorder.clips.clip_source import ClipSource
from playhead.runner.replay_per_seed import memory_for

from ...agents.replay.corridor import PLAYER, record_demo
from ...support.process import PLAYHEAD, Process, run_process
from ...support.waits import until

HALLS = Path(__file__).parents[2] / "agents" / "replay" / "corridor.py"
PLANTED = """
import os, signal, sys, time
import halls

FAULTS = ["none", "raises", "dies", "exits", "hangs", "asserts"]

class Planted(halls.Corridor):
    def __init__(self, *, seed=None, fault="none"):
        super().__init__(seed=seed)
        self.fault = fault

    def step(self):
        super().step()
        if 1.8 <= self.world.walker.position[0] < 2.2:
            getattr(self, self.fault)()

    def none(self): pass
    def raises(self): raise ZeroDivisionError("a stone broke")
    def dies(self): os.kill(os.getpid(), signal.SIGSEGV)
    def exits(self): os._exit(3)
    def asserts(self): self.instruments.check(False, "the floor holds", focus=halls.PLAYER)

    def hangs(self):
        while True:
            time.sleep(0.01)

def game(seed=None):
    return Planted(seed=seed, fault=FAULTS[seed or 0])

def flaky(seed=None):
    tried = "tried" + str(seed)
    fault = "none" if os.path.exists(tried) else "dies"
    open(tried, "w").close()
    return Planted(seed=seed, fault=fault)

def broken_start(seed=None):
    raise ZeroDivisionError("no game today")

def slow(seed=None):
    made = Planted(seed=seed)
    step = made.step
    def wait():
        step()
        if seed == 2:
            time.sleep(0.05)
    made.step = wait
    return made
"""


@pytest.fixture
def demos(tmp_path, monkeypatch) -> list[str]:
    """Three demos: something is planted in the middle of the second."""
    shutil.copy(HALLS, tmp_path / "halls.py")
    (tmp_path / "planted.py").write_text(PLANTED)
    places = {"one": (0.0, 1.5), "two": (1.5, 3.0), "three": (4.5, 5.9)}
    for name, (start, end) in places.items():
        record_demo(tmp_path / f"{name}.csv", start, end)
    return ["one.csv", "two.csv", "three.csv"]


def replay(*args: str) -> subprocess.CompletedProcess[str]:
    return run_process(PLAYHEAD, "replay", *args, "--headless")


def runs_of(done: subprocess.CompletedProcess[str]) -> dict[int, dict[str, Any]]:
    return {run["seed"]: run for run in map(json.loads, done.stdout.splitlines())}


@pytest.mark.slow
def test_each_crash_is_a_failed_outcome_with_a_clip_and_all_else_is_played(demos, tmp_path):
    done = replay(
        "planted:game", *demos, "--seeds", "0..5", "--jobs", "2", "--patience", "20",
        "--clips", "kept", "--junit", "report.xml", "--json",
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    runs = runs_of(done)
    assert sorted(runs) == [0, 1, 2, 3, 4, 5]
    assert runs[0]["finished"]
    values = {
        1: ("crash", "corridor raised ZeroDivisionError('a stone broke')", "a stone broke"),
        2: ("crash", "the process of planted:game was ended by SIGSEGV", "in dies"),
        3: ("crash", "the process of planted:game ended with exit code 3", ""),
        4: ("hang", "planted:game has sent nothing for 20 s: it hangs", "in hangs"),
        5: ("assert", "the floor holds", ""),
    }
    for seed, (kind, message, trace) in values.items():
        run = runs[seed]
        assert [one["standing"] for one in run["demos"]] == ["finished", "failed", "finished"]
        failure = run["failure"]
        assert failure["kind"] == kind
        assert message in failure["message"]
        assert trace in failure["traceback"]
        assert failure["frame"] > 30
        with ClipSource.open(run["clip"]) as clip:
            (check,) = [mark for mark in clip.marks() if mark.kind == "check"]
            assert (check.frame, check.name) == (failure["frame"], failure["message"])
            assert check.object == failure["object"] == PLAYER
            assert clip.span is not None
            assert clip.span.oldest <= failure["frame"] <= clip.span.newest
            if kind != "assert":
                assert Path(check.file).name == ("planted.py" if seed == 1 else "two.csv")
                assert check.line > 2
    # Of a process that died the recording tells the rest.
    assert runs[1]["transitions"] > 0
    assert (runs[2]["recoveries"], runs[2]["transitions"]) == (0, None)
    cases = list(ElementTree.parse(tmp_path / "report.xml").iter("testcase"))
    failed = {case.attrib["name"] for case in cases if case.find("failure") is not None}
    assert len(cases) == 18
    assert failed == {f"two[seed {seed}]" for seed in values}
    assert not list(Path("kept").glob(".*"))


@pytest.mark.slow
def test_each_crash_is_found_in_its_demo_where_the_agent_plays_from_outside(demos):
    done = replay(
        "planted:game", *demos, "--seeds", "1..5", "--outside", "--patience", "20", "--clips",
        "kept", "--json",
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "no clip" not in done.stderr
    runs = runs_of(done)
    values = {
        1: ("crash", "a stone broke"), 2: ("crash", "SIGSEGV"), 3: ("crash", "exit code 3"),
        4: ("hang", "has sent nothing for 20 s: it hangs"), 5: ("assert", "the floor holds"),
    }  # fmt: skip
    for seed, (kind, message) in values.items():
        run = runs[seed]
        assert [one["demo"] for one in run["demos"]] == ["one", "two", "three"]
        assert [one["standing"] for one in run["demos"]] == ["finished", "failed", "finished"]
        assert run["failure"]["kind"] == kind
        assert message in run["failure"]["message"]
        assert Path(run["clip"]).is_file()


@pytest.mark.slow
def test_what_fails_once_is_flaky_and_what_always_fails_is_not(demos):
    done = replay("planted:flaky", *demos, "--seed", "7", "--retries", "2", "--json")
    assert done.returncode == 1, done.stderr
    run = runs_of(done)[7]
    assert (run["standing"], run["flaky"], run["attempts"]) == ("flaky", True, 2)
    assert "SIGSEGV" in run["failure"]["message"]
    assert run["recoveries"] is None  # nothing was recorded that outlives the process
    broken = replay("planted:game", *demos, "--seed", "1", "--retries", "2", "--json")
    run = runs_of(broken)[1]
    assert (run["standing"], run["flaky"], run["attempts"]) == ("failed", False, 3)


@pytest.mark.slow
def test_a_broken_save_fails_its_demo_only(demos):
    Path("three.start.save").write_text("{")
    done = replay("planted:game", *demos, "--seed", "0", "--json")
    assert done.returncode == 1, done.stderr
    run = runs_of(done)[0]
    assert [one["standing"] for one in run["demos"]] == ["finished", "finished", "failed"]
    assert run["failure"]["kind"] == "load"
    assert "three.start.save is no saved game" in run["failure"]["message"]


def test_a_game_that_can_not_even_start_is_reported_at_once(demos):
    done = replay("planted:broken_start", *demos, "--seeds", "1..9")
    assert done.returncode == 2, done.stderr
    assert "no game today" in done.stderr


@pytest.mark.slow
def test_rows_come_one_by_one_and_a_summary_at_the_end(demos):
    done = replay("planted:game", *demos, "--seeds", "0..1", "--retries", "1")
    assert done.returncode == 1
    head, *rows = done.stdout.splitlines()
    assert head.split() == [
        "seed", "lap", "demo", "result", "time", "row", "recoveries", "transitions", "first",
        "divergence",
    ]  # fmt: skip
    assert [row.split()[:4] for row in rows[:6]] == [
        ["0", "1", "one", "finished"], ["0", "1", "two", "finished"],
        ["0", "1", "three", "finished"], ["1", "1", "one", "finished"],
        ["1", "1", "two", "failed"], ["1", "1", "three", "finished"],
    ]  # fmt: skip
    assert "try 2" in rows[6]
    assert "1 of 2 runs finished" in done.stdout
    assert "two, seed 1, lap 1, failed 2 times:" in done.stdout
    assert "ZeroDivisionError: a stone broke" in done.stdout


@pytest.mark.slow
def test_a_command_at_the_end_gets_the_summary_and_the_reports_path(demos, tmp_path):
    (tmp_path / "mail.py").write_text(
        "import os, pathlib, sys\n"
        "path = pathlib.Path(os.environ['PLAYHEAD_REPORT'])\n"
        "facts = [os.environ['PLAYHEAD_' + name] for name in ('RUNS', 'FINISHED')]\n"
        "text = path.read_text() + '\\n' + sys.stdin.read() + ' '.join(facts)\n"
        "pathlib.Path('mail.txt').write_text(text)\n"
    )
    mail = f"{sys.executable} mail.py"
    done = replay("planted:game", *demos, "--seeds", "0..1", "--junit", "r.xml", "--then", mail)
    assert done.returncode == 1, done.stderr
    sent = Path("mail.txt").read_text()
    assert "<testsuite" in sent
    assert "1 of 2 runs finished" in sent
    assert sent.endswith("2 1")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
def test_no_game_that_hangs_outlives_a_killed_command(demos):
    args = ("planted:game", *demos, "--seed", "4", "--headless", "--patience", "300")
    with Process(PLAYHEAD, "replay", *args) as process:
        process.find(r"4 +1 +one +finished", "stdout")
        games = process.children()
        assert games
        process.send_signal(signal.SIGKILL)
        process.wait()
        until(lambda: not any(is_there(game) for game in games))


def is_there(pid: int) -> bool:
    """Whether a process runs still."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.slow
def test_a_command_that_fails_at_the_end_is_reported(demos):
    done = replay("planted:game", *demos, "--seed", "0", "--then", "exit 3")
    assert done.returncode == 1
    assert "--then 'exit 3' ended with exit code 3" in done.stderr


def test_a_report_that_could_not_be_written_is_refused_before_anything_is_played(demos):
    done = replay("planted:game", *demos, "--seed", "0", "--junit", "nowhere/report.xml")
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no folder nowhere" in done.stderr


def test_the_memory_holds_a_play_twice_as_long_as_its_demos():
    village = memory_for(shipped("arena:village"))
    assert 200 << 20 < village < 300 << 20
    assert memory_for(shipped("doom:map01")) >= 64 << 20


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_keeps_what_was_done(demos, tmp_path):
    args = ("planted:slow", *demos, "--seeds", "1..3", "--headless", "--junit", "r.xml")
    with Process(PLAYHEAD, "replay", *args) as process:
        process.find(r"2 +1 +one +finished", "stdout")
        process.send_signal(signal.SIGINT)
        code, out, err = process.end()
    assert code == 130
    assert "interrupted" in err
    assert "1 of 2 runs finished" in out
    cases = list(ElementTree.parse(tmp_path / "r.xml").iter("testcase"))
    assert [case.attrib["name"] for case in cases][:4] == [
        "one[seed 1]", "two[seed 1]", "three[seed 1]", "one[seed 2]",
    ]  # fmt: skip
