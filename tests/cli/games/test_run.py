"""`playhead run` as a person or a script runs it: a process, its output, its exit code."""

import importlib
import json
import subprocess
from pathlib import Path

import pytest

from playhead.games.game_catalog import open_game
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.verify_clip import verify
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.reading.ring_source import RingSource

from ...support.process import PLAYHEAD, run_process
from ...support.spinning_tops import RUN

KEYS = {
    "game", "frames", "seconds", "objects", "packets", "ring_bytes", "seconds_held",
    "frame_cost_us", "dropped", "losses", "state_hash", "asserts", "clip",
}  # fmt: skip
"""What a script may rely on to find in the facts of a run."""

OWN = """
from tests.support.spinning_tops import Tops


class Spinning(Tops):
    def step(self):
        super().step()
        for id, top in self.world.things.items():
            top.spin *= 0.9 / id
            self.instruments.check(top.spin > 0.01, "tops keep spinning", focus=id)

    def close(self):
        print("closed")


class Breaking(Spinning):
    def step(self):
        super().step()
        if self.world.steps == 4:
            raise ZeroDivisionError("in the game")
"""


def playhead(*args: str, **rest: object) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return run_process(PLAYHEAD, *args, limit=100, env=RUN, **rest)


def test_with_json_the_facts_are_one_object_with_the_promised_keys():
    done = playhead("run", "arena:yard", "--headless", "--seconds", "2", "--seed", "3", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout)
    assert facts.keys() == KEYS
    assert (facts["game"], facts["frames"], facts["clip"]) == ("arena:yard", 120, None)
    assert facts["seconds"] == pytest.approx(2.0)
    assert facts["seconds_held"] == pytest.approx(119 / 60)
    assert facts["ring_bytes"] == 64 << 20
    assert facts["packets"] > 120 * facts["objects"] >= 120 * 9
    assert facts["frame_cost_us"].keys() == {"p50", "p99"}
    assert 0 < facts["frame_cost_us"]["p50"] <= facts["frame_cost_us"]["p99"]
    assert (facts["dropped"], facts["asserts"]) == (0, [])
    with open_game("arena:yard", seed=3) as game:
        for _ in range(120):
            game.step()
        assert facts["state_hash"] == game.state_hash()


@pytest.mark.slow
def test_without_json_the_facts_are_lines_to_be_read():
    done = playhead("run", "arena:yard", "--seconds", "1", "--headless", "--memory", "1 MiB")
    assert (done.returncode, done.stderr) == (0, "")
    first, *rest = done.stdout.splitlines()
    assert first.startswith("arena:yard: 60 frames, 1.0 s of game time, ")
    assert [line.split()[0] for line in rest] == ["memory", "cost", "dropped", "hash"]
    assert "1.0 MiB" in rest[0]


@pytest.mark.slow
def test_the_number_of_guards_is_a_setting_of_the_arena():
    done = playhead(
        "run", "arena:yard", "--headless", "--seconds", "0.1", "--guards", "20", "--json"
    )
    assert json.loads(done.stdout)["objects"] == 23


@pytest.mark.slow
def test_doom_is_run_and_recorded():
    pytest.importorskip("vizdoom")
    done = playhead(
        "run", "doom:map01", "--headless", "--seconds", "2", "--memory", "4 MiB", "--json"
    )
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout)
    assert facts.keys() == KEYS
    assert (facts["frames"], facts["ring_bytes"], facts["dropped"]) == (70, 4 << 20, 0)
    assert facts["objects"] > 10


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A game of somebody's own in the present folder."""
    (tmp_path / "my").mkdir()
    (tmp_path / "my" / "tops.py").write_text(OWN)
    return tmp_path


def test_a_game_of_ones_own_in_the_present_folder_is_run_and_its_failures_are_listed(own):
    done = playhead(
        "run", "my.tops:Spinning", "--headless", "--seconds", "10", "--seed", "7", "--json"
    )
    assert (done.returncode, done.stderr) == (0, "")
    closed, line = done.stdout.splitlines()
    facts = json.loads(line)
    assert closed == "closed"
    assert facts.keys() == KEYS
    assert (facts["game"], facts["frames"], facts["state_hash"]) == ("tops", 100, "7/100")
    # 0.9**n falls below 0.01 in step 44, 0.45**n in step 6; nobody watches, so it goes on.
    assert facts["asserts"] == [
        {"time": 0.6, "frame": 6, "object": 2, "message": "tops keep spinning"},
        {"time": 4.4, "frame": 44, "object": 1, "message": "tops keep spinning"},
    ]


def test_the_ring_of_a_run_is_kept_in_a_file_that_can_be_opened(own):
    done = playhead(
        "run", "my.tops:Spinning", "--headless", "--seconds", "1", "--ring", "tops.ring"
    )
    assert done.returncode == 0, done.stderr
    source = RingSource.open(own / "tops.ring")
    assert (source.span.oldest, source.span.newest) == (1, 10)
    assert [(mark.kind, mark.frame, mark.object) for mark in source.marks()] == [("check", 6, 2)]
    assert source.latched(10, 0, Kind.WORLD, "")["about"] == {"seed": 1}
    spins = [values["spin"] for _, values in source.decoded(3)]
    assert spins == pytest.approx([0.9**3, 0.45**3])


def test_a_game_that_breaks_is_named_with_its_step_and_its_ring_is_kept(own):
    done = playhead("run", "my.tops:Breaking", "--headless", "--ring", "tops.ring")
    assert (done.returncode, done.stdout) == (2, "closed\n")
    assert done.stderr == "playhead: tops: step 4 raised ZeroDivisionError('in the game')\n"
    assert RingSource.open(own / "tops.ring").span.newest == 3
    traced = playhead("run", "my.tops:Breaking", "--headless", "--debug")
    assert traced.returncode == 2
    assert "Traceback" in traced.stderr
    assert "tops.py" in traced.stderr


def test_what_is_recorded_at_the_end_is_saved_as_a_clip(own):
    done = playhead(
        "run", "my.tops:Spinning", "--headless", "--seconds", "2", "--clip", "tops.mcap", "--json"
    )
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout.splitlines()[1])
    assert facts["clip"] == "tops.mcap"
    assert verify(own / "tops.mcap").ok
    with ClipSource.open(own / "tops.mcap") as source:
        result = source.info()
    assert (result["span"]["oldest"], result["span"]["newest"]) == (1, 20)
    assert [failed["frame"] for failed in result["asserts"]] == [6]
    assert result["metadata"]["about"]["seed"] == "1"
    assert "--clip" in json.loads(result["metadata"]["playhead"]["command"])
    (own / "tops.mcap").write_text("no clip")
    again = playhead("run", "my.tops:Spinning", "--headless", "--clip", "tops.mcap")
    assert again.returncode == 2
    assert again.stderr.startswith("playhead: tops.mcap: this is there already and is no clip")
    assert again.stdout == ""  # it was not run at all


def test_a_game_that_breaks_leaves_a_clip_of_what_led_to_it(own):
    done = playhead("run", "my.tops:Breaking", "--headless", "--clip", "tops.mcap")
    assert (done.returncode, done.stdout) == (2, "closed\n")
    assert done.stderr == (
        "playhead: tops: step 4 raised ZeroDivisionError('in the game');"
        " what led to it is in tops.mcap\n"
    )
    with ClipSource.open(own / "tops.mcap") as source:
        assert source.span.newest == 3
        assert b"in the game" in source.clip.attachment("traceback.txt")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["arena:yard", "--clip", "no/such/folder/x.mcap"], "x.mcap: there is no folder"),
        (
            ["arena:cave"],
            "arena:cave is unknown: the levels are yard, village, dungeon, mountain, doomlike",
        ),
        (["yard"], "package.module:factory"),
        (["nobody.here:game"], "No module named 'nobody'"),
        (["json:dumpz"], "json has no dumpz"),
        (["json:loads"], "'s'"),
        (["arena:yard", "--memory", "10"], "memory of 10 bytes can't hold a ring"),
        (["arena:yard", "--memory", "lots"], "memory 'lots' is no size"),
        (["arena:yard", "--ring", "no/such/folder/x.ring"], "no/such/folder/x.ring: no ring"),
        (["arena:yard", "--ring", "."], "is a directory"),
        (["arena:yard", "--seconds", "0"], "--seconds 0: run for more"),
        (["arena:yard", "--seconds", "-3"], "--seconds -3: run for more"),
        (["arena:yard", "--seconds", "nan"], "--seconds nan"),
        (["arena:yard", "--seconds", "inf"], "--seconds inf"),
        (["arena:yard", "--seconds", "soon"], "'soon' is not a valid float"),
        (["arena:yard", "--seed", "x"], "'x' is not a valid integer"),
        (["arena:yard", "--guards", "-1"], "-1 guards"),
        (["arena:doomlike", "--mode", "fly"], "train-mix, test, or ask to have it chosen"),
        (["arena:doomlike", "--mode", "ask"], "--mode ask needs a window or --bus"),
        ([], "Missing argument 'GAME'"),
    ],
)
def test_a_mistake_is_reported_in_plain_lines_and_exits_with_two(mistaken, args, message):
    assert message in mistaken("run", *args, "--headless")


def test_an_unknown_scenario_of_doom_is_reported(mistaken):
    pytest.importorskip("vizdoom")
    assert "known are doom:deathmatch" in mistaken("run", "doom:e9m9", "--headless")


def test_with_json_a_mistake_is_one_object():
    done = playhead("run", "arena:yard", "--headless", "--memory", "10", "--json")
    assert (done.returncode, done.stderr) == (2, "")
    error = json.loads(done.stdout)["error"]
    assert error["kind"] == "capacity"
    assert "10 bytes" in error["message"]


def test_a_file_that_another_process_records_into_is_refused(own):
    from playhead.recorder.recorder import Recorder

    recorder = Recorder("1 MiB", path=own / "busy.ring")
    try:
        done = playhead("run", "arena:yard", "--ring", "busy.ring", "--headless")
        assert (done.returncode, done.stdout) == (2, "")
        assert "busy.ring" in done.stderr
    finally:
        recorder.close()


# --- the mode of the hall ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "window", "mode"),
    [
        ([], True, "ask"),
        ([], False, None),
        (["--headless"], True, None),
        (["--headless", "--bus"], True, None),
        (["--mode", "train-goto"], True, "train-goto"),
        (["--mode", "test", "--headless"], True, "test"),
        (["--mode", "ask"], True, "ask"),
        (["--mode", "ask", "--headless", "--bus"], True, "ask"),
    ],
)
def test_the_mode_is_asked_for_in_a_window_unless_it_is_given(monkeypatch, args, window, mode):
    from click.testing import CliRunner

    module = importlib.import_module("playhead.cli.games.run")
    opened = []

    class Opened(Exception):
        pass

    def open_game(name, **settings):
        opened.append((name, settings.get("mode")))
        raise Opened

    monkeypatch.setattr(module, "open_game", open_game)
    monkeypatch.setattr(module, "can_have_window", lambda **_: window)
    done = CliRunner().invoke(module.run, ["arena:doomlike", *args])
    assert isinstance(done.exception, Opened), done.output
    assert opened == [("arena:doomlike", mode)]


def test_the_hall_alone_asks_and_begins_with_a_mix_where_nobody_is_asked():
    module = importlib.import_module("playhead.cli.games.run")
    assert module.ASKS.keys() == {"arena:doomlike"}
    with open_game("arena:doomlike", mode=module.ASKS["arena:doomlike"]) as game:
        game.step()
        assert game.start.mode is None
    with open_game("arena:doomlike") as game:
        assert game.start.mode == "train-mix"


def test_without_a_window_the_hall_runs_as_ever():
    done = playhead("run", "arena:doomlike", "--headless", "--seconds", "1", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    with open_game("arena:doomlike", mode="train-mix") as game:
        for _ in range(20):
            game.step()
        assert json.loads(done.stdout)["state_hash"] == game.state_hash()
