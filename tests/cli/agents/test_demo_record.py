"""`playhead demo-record`: a demo with its saved games; nothing is ever replaced."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from playhead.agents.demo_reader import read_demo

from ...support.process import PLAYHEAD, run_process

HALLS = Path(__file__).parents[2] / "agents" / "replay" / "corridor.py"


def record(*args: str) -> subprocess.CompletedProcess[str]:
    return run_process(PLAYHEAD, "demo-record", *args, "--headless")


@pytest.fixture
def halls(tmp_path):
    shutil.copy(HALLS, tmp_path / "halls.py")
    return "halls:Corridor"


@pytest.mark.parametrize("limit", [(), ("--seconds", "60")])
def test_the_scripted_person_plays_to_the_games_end_and_saved_games_stand_beside(
    halls, tmp_path, limit
):
    done = record(halls, "walk.csv", "--seed", "2", "--json", *limit)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    rows = read_demo(tmp_path / "walk.csv").rows
    assert facts["rows"] == len(rows)
    assert facts["finished"]
    assert rows[-1].player_x >= 6.0
    assert json.loads((tmp_path / "walk.start.save").read_text())["x"] == 0.0
    assert json.loads((tmp_path / "walk.end.save").read_text())["x"] == pytest.approx(6.0, abs=0.1)


@pytest.mark.slow
def test_a_demo_goes_on_from_where_another_one_ended(halls, tmp_path):
    assert record(halls, "one.csv", "--seconds", "1").returncode == 0
    done = record(halls, "two.csv", "--seconds", "0.5", "--from", "one.end.save")
    assert done.returncode == 0, done.stderr
    one, two = read_demo(tmp_path / "one.csv").rows, read_demo(tmp_path / "two.csv").rows
    assert (tmp_path / "one.end.save").read_bytes() == (tmp_path / "two.start.save").read_bytes()
    assert two[0].player_x == pytest.approx(one[-1].player_x, abs=0.2)
    assert "two.csv: 15 rows, 0.5 s of corridor" in done.stdout


@pytest.mark.parametrize("there", ["walk.csv", "walk.start.save", "walk.end.save"])
def test_no_file_is_ever_replaced(halls, there, tmp_path):
    (tmp_path / there).write_text("mine")
    done = record(halls, "walk.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert there in done.stderr
    assert done.stderr.count("\n") <= 2
    assert sorted(path.name for path in tmp_path.glob("walk.*")) == [there]
    assert (tmp_path / there).read_text() == "mine"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("arena:cave", "a.csv"), "arena:cave is unknown"),
        (("halls:Bare", "a.csv"), "bare has no pad"),
        (("halls:Corridor", "nowhere/a.csv"), "there is no folder"),
        (("halls:Corridor", "a.csv", "--seconds", "0"), "more than 0 seconds"),
        (("halls:Corridor", "a.csv", "--from", "none.save"), "none.save is no saved game"),
        (("arena:yard", "a.csv", "--from", "none.save"), "has no saved games"),
    ],
)
def test_mistakes_are_one_or_two_plain_lines(halls, mistaken, args, message):
    assert message in mistaken("demo-record", *args, "--headless")
