"""`playhead run --bus` in a process of its own, driven by `playhead ctl` in others."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from playhead.bus.client import Client
from playhead.bus.keys import Pass, load, load_public, make
from playhead.errors import PlayheadError
from playhead.games.catalog import open_game
from playhead.recorder.clips.source import ClipSource
from playhead.recorder.reader import RingSource

PLAYHEAD = Path(sys.executable).parent / "playhead"
LIMIT = 60.0
ANYWHERE = ("--headless", "--bus", "tcp://127.0.0.1:*")

FAILING = """
from dataclasses import dataclass

from playhead.handlers.field import FieldHandler
from playhead.handlers.registry import HandlerRegistry
from playhead.recorder.world import World


@dataclass
class Top:
    spin: float = 1.0


class Tops(World):
    steps = 0

    def __init__(self):
        self.top = Top()

    def objects(self):
        return [(1, "top", self.top)]

    def time(self):
        return self.steps / 50

    def find(self, object_id):
        return self.top


class Spinning:
    name, dt, about = "tops", 1 / 50, {}

    def __init__(self):
        self.world = Tops()
        self.handlers = HandlerRegistry()
        self.handlers.register("top", FieldHandler(Top()))

    def attach(self, instruments):
        self.instruments = instruments

    def step(self):
        self.world.steps += 1
        self.instruments.check(self.world.steps != 75, "tops keep spinning", focus=1)

    def state_hash(self):
        return str(self.world.steps)

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass
"""


class Run:
    """A command that is on the bus, in a process of its own."""

    def __init__(self, *args: str) -> None:
        self.process = subprocess.Popen(
            [PLAYHEAD, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "PLAYHEAD_STRICT": "0"},
        )  # fmt: skip
        assert self.process.stderr is not None
        first = self.process.stderr.readline()
        found = re.match(r"on the bus at (\S+) \(playhead ctl \1 status\)", first)
        assert found, first + self.process.stderr.read()
        self.endpoint = found[1]

    def ctl(self, *args: str) -> dict:
        done = subprocess.run(
            [PLAYHEAD, "ctl", self.endpoint, *args, "--json"], capture_output=True, text=True,
            timeout=LIMIT,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
        return json.loads(done.stdout)

    def end(self) -> dict:
        """What it says when it has come to its end."""
        out, err = self.process.communicate(timeout=LIMIT)
        assert (self.process.returncode, err) == (0, "")
        return json.loads(out.splitlines()[-1])


@contextlib.contextmanager
def running(*args: str) -> Iterator[Run]:
    run = Run(*args)
    try:
        yield run
    finally:
        run.process.kill()
        run.process.communicate()


@pytest.fixture
def failing(tmp_path: Path) -> str:
    """A game whose check fails in frame 75, a second and a half after its start."""
    (tmp_path / "tops.py").write_text(FAILING)
    return "tops:Spinning"


def test_it_runs_in_real_time_obeys_tools_and_ends_as_if_never_paused():
    began = time.monotonic()
    with running("run", "arena:yard", "--seconds", "3", "--seed", "3", *ANYWHERE, "--json") as run:
        entered = run.ctl("enter")
        assert entered["mode"] == "paused"
        assert 0 < entered["frame"] < 180
        stepped = run.ctl("step", "-4")
        assert stepped["frame"] == max(entered["frame"] - 4, 1)
        assert run.ctl("seek", "#2")["time"] == pytest.approx(2 / 60)
        assert run.ctl("play", "1")["mode"] == "playing"
        moved(run, 2)
        assert run.ctl("leave")["mode"] == "live"
        facts = run.end()
    assert time.monotonic() - began > 2.5
    assert facts["frames"] == 180
    with open_game("arena:yard", seed=3) as game:
        for _ in range(180):
            game.step()
        assert facts["state_hash"] == game.state_hash()


def moved(run: Run, frame: int) -> None:
    """Wait until a playhead that plays has passed a frame: it moves with real time by itself."""
    with Client(run.endpoint) as client:
        end = time.monotonic() + LIMIT
        while client.time is None or client.time.frame <= frame:
            assert time.monotonic() < end
            client.dispatch(0.05)


def test_a_failed_check_that_nobody_sees_is_marked_and_the_run_goes_on(failing):
    with running("run", failing, "--seconds", "2", *ANYWHERE, "--json") as run:
        facts = run.end()
    assert facts["frames"] == 100
    assert [one["frame"] for one in facts["asserts"]] == [75]


def test_a_failed_check_stops_the_game_while_a_tool_is_connected_until_it_says_leave(failing):
    with running("run", failing, "--seconds", "2", *ANYWHERE, "--json") as run:
        with Client(run.endpoint) as client:
            told = []
            client.on("check", lambda event: told.append(event.event.violation.frame))
            end = time.monotonic() + LIMIT
            while not told:
                assert time.monotonic() < end
                client.dispatch(0.1)
            assert told == [75]
            assert client.present().time.mode == "paused"
        status = run.ctl("status")
        assert (status["now"]["mode"], status["now"]["frame"]) == ("paused", 75)
        assert status["now"]["focus"] == 1
        assert run.process.poll() is None
        run.ctl("leave")
        assert run.end()["frames"] == 100


def test_pause_stops_the_game_for_a_failed_check_though_nobody_is_there_yet(failing):
    with running("run", failing, "--seconds", "2", *ANYWHERE, "--json", "--pause") as run:
        with Client(run.endpoint) as client:
            end = time.monotonic() + LIMIT
            while client.present().time.mode == "live":
                assert time.monotonic() < end
                client.dispatch(0.1)
            assert client.present().time.frame == 75
            client.leave()
        assert run.end()["frames"] == 100


def test_no_pause_lets_the_game_run_on_whoever_watches(failing):
    with running("run", failing, "--seconds", "2", *ANYWHERE, "--json", "--no-pause") as run:
        with Client(run.endpoint) as client:
            modes = set()
            client.follow(lambda now: modes.add((now.mode, now.frame >= 80)))
            end = time.monotonic() + LIMIT
            while ("live", True) not in modes:
                assert time.monotonic() < end
                client.dispatch(0.1)
        facts = run.end()
    assert [one["frame"] for one in facts["asserts"]] == [75]
    assert not [mode for mode, _ in modes if mode != "live"]


def test_bus_may_stand_before_the_game_without_swallowing_it(failing):
    done = subprocess.run(
        [PLAYHEAD, "run", "--headless", "--bus", "arena:cave"],
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    levels = "yard, village, dungeon, doomlike"
    assert done.stderr == f"playhead: arena:cave is unknown: the levels are {levels}\n"


def test_an_interrupted_run_closes_its_recording(tmp_path):
    with running("run", "arena:yard", "--ring", "yard.ring", *ANYWHERE) as run:
        run.ctl("enter")
        run.process.send_signal(signal.SIGINT)
        out, err = run.process.communicate(timeout=LIMIT)
    assert (run.process.returncode, out, err.strip()) == (130, "", "playhead: interrupted")
    assert RingSource.open(tmp_path / "yard.ring").span is not None


def test_a_locked_run_answers_only_those_it_knows(tmp_path, failing):
    public, secret = make("studio", tmp_path / "studio")
    _, ann = make("ann", tmp_path / "tools")
    options = ("--keys", str(secret), "--clients", str(tmp_path / "tools"), "--json")
    with running("run", failing, "--seconds", "600", *ANYWHERE, *options) as run:
        keys = ("--keys", str(ann), "--server", str(public))
        assert run.ctl("enter", *keys)["mode"] == "paused"
        with Client(run.endpoint, keys=Pass(load(ann), load_public(public))) as client:
            assert client.present().time.mode == "paused"
        stranger = subprocess.run(
            [PLAYHEAD, "ctl", run.endpoint, "leave", "--timeout", "1"],
            capture_output=True, text=True, timeout=LIMIT,
        )  # fmt: skip
        assert stranger.returncode == 2


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--pause",), "--pause and --no-pause need a window or --bus"),
        (("--no-pause",), "--pause and --no-pause need a window or --bus"),
        (("--keys", "a"), "give both"),
        (("--bus", "--clients", "a"), "give both"),
        (("--bus", "tcp://0.0.0.0:*"), "that needs keys"),
        (("--bus=what is this",), "address 'what is this'"),
    ],
)
def test_mistakes_are_told_before_the_game_runs(args, said):
    done = subprocess.run(
        [PLAYHEAD, "run", "arena:yard", "--headless", *args],
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_an_address_that_is_taken_is_told():
    with running("run", "arena:yard", *ANYWHERE) as run:
        done = subprocess.run(
            [PLAYHEAD, "run", "arena:yard", "--headless", "--bus", run.endpoint],
            capture_output=True, text=True, timeout=LIMIT,
        )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert "in use" in done.stderr


@pytest.mark.slow  # seventeen seconds of game time, at real time
def test_the_demo_stands_still_at_its_failure_until_a_tool_says_leave():
    with running("demo", *ANYWHERE) as run:
        lines = []
        timer = threading.Timer(LIMIT, run.process.kill)
        timer.start()
        for line in run.process.stdout:
            lines.append(line)
            if line.startswith("The game stands still"):
                break
        timer.cancel()
        timer.join()
        assert run.endpoint in lines[-1]
        now = run.ctl("status")["now"]
        assert now["mode"] == "paused"
        assert f"frame {now['frame']}" in lines[-1]
        run.ctl("step", "-5")
        run.ctl("leave")
        out, err = run.process.communicate(timeout=LIMIT)
    assert (run.process.returncode, err) == (0, "")
    assert out.count("equal") == 2
    story = Path("out/demo.txt").read_text(encoding="utf-8")
    assert "CHECK FAILED" in story
    assert "equal" in story


# --- the start screen ----------------------------------------------------------------------------

HALLS = """
from itertools import count

from playhead.games.arena.aim.game import AimGame


def patient(seed=None):
    return AimGame(seed=seed, mode="ask", start_limit=600.0)


def hasty(seed=None):
    # A second passes whenever somebody looks at the clock.
    return AimGame(seed=seed, mode="ask", clock=count().__next__)
"""


def test_a_tool_chooses_the_mode_on_the_start_screen(tmp_path):
    (tmp_path / "halls.py").write_text(HALLS)
    with (
        running("run", "halls:patient", "--seconds", "600", *ANYWHERE) as run,
        Client(run.endpoint, timeout=LIMIT) as client,
    ):
        chosen = client.instruct("arena", {"order": "choose", "mode": "train-goto"})
        assert chosen["mode"] == "train-goto"
        end = time.monotonic() + LIMIT
        while client.told("arena").body["target"] != "goto":
            assert time.monotonic() < end
            client.dispatch(0.05)
        with pytest.raises(PlayheadError, match="train-goto was chosen and can't be changed"):
            client.instruct("arena", {"order": "choose", "mode": "test"})


def test_when_no_mode_is_chosen_in_time_the_run_ends_with_that_error_and_keeps_its_clip(tmp_path):
    (tmp_path / "halls.py").write_text(HALLS)
    with running("run", "halls:hasty", *ANYWHERE, "--clip", "start.mcap") as run:
        out, err = run.process.communicate(timeout=LIMIT)
    assert (run.process.returncode, out) == (2, "")
    assert err.splitlines() == [
        "playhead: no mode was chosen within 45 s of the start: the environment has closed;"
        " what led to it is in start.mcap"
    ]
    with ClipSource.open(tmp_path / "start.mcap") as clip:
        facts = {key: told for (_, _, key), told in clip.facts(clip.span.newest).items()}
        assert facts["arena"]["mode"] == ""


def test_a_run_that_is_over_before_the_choice_says_what_it_recorded(tmp_path):
    (tmp_path / "halls.py").write_text(HALLS)
    with running("run", "halls:patient", "--seconds", "0.2", "--json", *ANYWHERE) as run:
        facts = run.end()
    assert (facts["game"], facts["frames"], facts["objects"]) == ("arena:doomlike", 4, 0)
