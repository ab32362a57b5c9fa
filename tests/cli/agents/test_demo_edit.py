"""`playhead demo-edit`: what is not edited stays byte for byte, and wrong joints are refused."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from playhead.agents.recorded_demo import DemoWriter
from playhead.agents.replay.demos.demo_files import end_of, shipped, start_of
from playhead.cli.agents.demo_edit import demo_edit
from playhead.cli.agents.new import new
from playhead.errors import PlayheadError
from playhead.games.playable_interface import Observation
from playhead.playback.pads.pad import Button, Pad

DT = 1 / 30


def edit(*args: object) -> Result:
    return CliRunner().invoke(demo_edit, [str(arg) for arg in args])


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    """A hundred rows along x, with an event in rows 40 to 49, and both saved games."""
    path = tmp_path / "walk.csv"
    with DemoWriter(path, DT, columns={"coins": float}) as writer:
        for row in range(100):
            seen = Observation(
                (0.1 * row, 0.0, 0.0), level="hall", event="talk" if 40 <= row < 50 else "",
                extras={"coins": 0.1 * row},
            )  # fmt: skip
            writer.step(Pad((1.0, 0.0), held=Button.A if row == 39 else 0), seen)
    start_of(path).write_text("start")
    end_of(path).write_text("end")
    return path


def test_a_demo_that_is_cut_and_joined_again_is_the_same_byte_for_byte(walk, tmp_path):
    one, two, whole = (tmp_path / f"{name}.csv" for name in ("one", "two", "whole"))
    assert edit("cut", walk, one, "--to", 60).exit_code == 0
    assert edit("cut", walk, two, "--from", 60).exit_code == 0
    assert (start_of(one).read_text(), end_of(two).read_text()) == ("start", "end")
    assert not end_of(one).exists()
    assert not start_of(two).exists()
    assert edit("join", one, two, whole).exit_code == 0
    assert whole.read_bytes() == walk.read_bytes()
    assert (start_of(whole).read_text(), end_of(whole).read_text()) == ("start", "end")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--from", 45], "between rows 44 and 45 the demo is in the middle of talk"),
        (["--to", 45], "in the middle of talk: cut at row 40 or row 50"),
        (["--from", 60, "--to", 60], "it has 100, from row 0 to before row 100"),
        (["--to", 101], "it has 100"),
    ],
)
def test_a_cut_that_can_not_be_played_is_refused(walk, tmp_path, args, told):
    out = tmp_path / "out.csv"
    done = edit("cut", walk, out, *args)
    assert isinstance(done.exception, PlayheadError)
    assert told in str(done.exception)
    assert not out.exists()


def test_demos_that_do_not_follow_on_each_other_are_joined_by_force_only(walk, tmp_path):
    one, two, out = (tmp_path / f"{name}.csv" for name in ("one", "two", "out"))
    edit("cut", walk, one, "--to", 30)
    edit("cut", walk, two, "--from", 60)
    done = edit("join", one, two, out)
    assert "one.csv row 29 and two.csv row 0: 3.1 apart" in str(done.exception)
    assert edit("join", one, two, out, "--force").exit_code == 0
    assert len(out.read_text().splitlines()) == 71
    end_of(one).write_text("another")
    start_of(two).write_text("start")
    again = edit("join", one, two, tmp_path / "again.csv")
    assert "is another saved game" in str(again.exception)


def test_a_stretch_that_nobody_plays_is_refused_before_anything_is_played(walk, tmp_path):
    out = tmp_path / "out.csv"
    place = ("--game", "arena:village", "--from", 10, "--to", 20, "--headless")
    done = edit("rerecord", shipped("arena:village")[0], out, *place)
    assert "arena:village has no method person(); give --script FILE.py" in str(done.exception)
    assert "play from here" not in done.output


def test_no_file_is_replaced(walk, tmp_path):
    out = tmp_path / "out.csv"
    out.write_text("mine")
    assert isinstance(edit("cut", walk, out).exception, PlayheadError)
    assert out.read_text() == "mine"


def test_a_template_is_written_and_a_stretch_of_its_demo_is_recorded_anew(tmp_path, monkeypatch):
    folder = tmp_path / "mine"
    assert CliRunner().invoke(new, ["tester", str(folder)]).exit_code == 0
    again = CliRunner().invoke(new, ["tester", str(folder)])
    assert isinstance(again.exception, PlayheadError)
    monkeypatch.chdir(folder)
    from playhead.agents.demo_reader import read_demo
    from playhead.cli.agents.demo_record import demo_record

    game = "my_game.py:MyGame"
    recorded = CliRunner().invoke(demo_record, [game, "walk.csv", "--headless"])
    assert recorded.exit_code == 0, recorded.output
    done = edit(
        "rerecord", "walk.csv", "new.csv", "--game", game, "--from", 40, "--to", 90, "--headless"
    )
    assert done.exit_code == 0, (done.output, done.exception)
    old, rerecorded = read_demo(Path("walk.csv")), read_demo(Path("new.csv"))
    assert rerecorded.rows[:40] == old.rows[:40]
    assert rerecorded.rows[-(len(old) - 90) :] == old.rows[90:]
