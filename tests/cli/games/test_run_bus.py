"""`playhead run --bus` in a process of its own, driven by `playhead ctl` in others."""

import json
import time
from pathlib import Path

import pytest

from playhead.bus.client.client import Client
from playhead.bus.messages.encryption_keys import ClientKeys, load, load_public, make
from playhead.errors import PlayheadError
from playhead.games.game_catalog import open_game
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.reading.ring_source import RingSource

from ...support.process import PLAYHEAD, Process, run_process
from ...support.spinning_tops import RUN
from ...support.waits import LIMIT, until

ANYWHERE = ("--headless", "--bus", "tcp://127.0.0.1:*")

FAILING = """
from tests.support.spinning_tops import Tops


class Spinning(Tops):
    def __init__(self):
        super().__init__(dt=1 / 50)

    def step(self):
        super().step()
        self.instruments.check(self.world.steps != 75, "tops keep spinning", focus=1)
"""


class Run(Process):
    """A command that is on the bus, in a process of its own."""

    def __init__(self, *args: str) -> None:
        super().__init__(PLAYHEAD, *args, env=RUN)
        found = self.find(r"^on the bus at (\S+) \(playhead ctl \1 status\)", "stderr")
        self.address = found[1]

    def ctl(self, *args: str) -> dict:
        done = run_process(PLAYHEAD, "ctl", self.address, *args, "--json")
        assert done.returncode == 0, done.stdout
        return json.loads(done.stdout)

    def facts(self) -> dict:
        """What it says when it has come to its end."""
        code, out, err = self.end()
        assert (code, err) == (0, "")
        return json.loads(out.splitlines()[-1])


@pytest.fixture
def failing(tmp_path: Path) -> str:
    """A game whose check fails in frame 75, a second and a half after its start."""
    (tmp_path / "tops.py").write_text(FAILING)
    return "tops:Spinning"


@pytest.mark.slow
def test_it_runs_in_real_time_obeys_tools_and_ends_as_if_never_paused():
    began = time.monotonic()
    with Run("run", "arena:yard", "--seconds", "3", "--seed", "3", *ANYWHERE, "--json") as run:
        with Client(run.address) as client:  # a command might begin when the run is over
            # Enough is held to play for a while.
            until(lambda: (span := client.snapshot().span) and span.newest >= 60, client)
            client.enter()
        entered = run.ctl("status")["now"]
        assert entered["mode"] == "paused"
        assert 60 <= entered["frame"] < 180
        stepped = run.ctl("step", "-4")
        assert stepped["frame"] == max(entered["frame"] - 4, 1)
        assert run.ctl("seek", "#2")["time"] == pytest.approx(2 / 60)
        assert run.ctl("play", "1")["mode"] == "playing"
        moved(run, 2)
        assert run.ctl("leave")["mode"] == "live"
        facts = run.facts()
    assert time.monotonic() - began > 2.5
    assert facts["frames"] == 180
    with open_game("arena:yard", seed=3) as game:
        for _ in range(180):
            game.step()
        assert facts["state_hash"] == game.state_hash()


def moved(run: Run, frame: int) -> None:
    """Wait until a playhead that plays has passed a frame: it moves with real time by itself."""
    with Client(run.address) as client:
        until(lambda: client.time is not None and client.time.frame > frame, client)


def test_a_failed_check_that_nobody_sees_is_marked_and_the_run_goes_on(failing):
    with Run("run", failing, "--seconds", "2", *ANYWHERE, "--json") as run:
        facts = run.facts()
    assert facts["frames"] == 100
    assert [one["frame"] for one in facts["asserts"]] == [75]


def test_a_failed_check_stops_the_game_while_a_tool_is_connected_until_it_says_leave(failing):
    with Run("run", failing, "--seconds", "2", *ANYWHERE, "--json") as run:
        with Client(run.address) as client:
            received = []
            client.on("failed_check", lambda event: received.append(event.event.failed_check.frame))
            until(lambda: received, client)
            assert received == [75]
            assert client.snapshot().time.mode == "paused"
        status = run.ctl("status")
        assert (status["now"]["mode"], status["now"]["frame"]) == ("paused", 75)
        assert status["now"]["focus"] == 1
        assert run.poll() is None
        run.ctl("leave")
        assert run.facts()["frames"] == 100


def test_pause_stops_the_game_for_a_failed_check_though_nobody_is_there_yet(failing):
    with Run("run", failing, "--seconds", "2", *ANYWHERE, "--json", "--pause") as run:
        with Client(run.address) as client:
            until(lambda: client.snapshot().time.mode != "live", client)
            assert client.snapshot().time.frame == 75
            client.leave()
        assert run.facts()["frames"] == 100


def test_no_pause_lets_the_game_run_on_whoever_watches(failing):
    with Run("run", failing, "--seconds", "2", *ANYWHERE, "--json", "--no-pause") as run:
        with Client(run.address) as client:
            modes = set()
            client.on_time(lambda now: modes.add((now.mode, now.frame >= 80)))
            until(lambda: ("live", True) in modes, client)
        facts = run.facts()
    assert [one["frame"] for one in facts["asserts"]] == [75]
    assert not [mode for mode, _ in modes if mode != "live"]


def test_bus_may_stand_before_the_game_without_swallowing_it(failing):
    done = run_process(PLAYHEAD, "run", "--headless", "--bus", "arena:cave")
    levels = "yard, village, dungeon, mountain, doomlike"
    assert done.stderr == f"playhead: arena:cave is unknown: the levels are {levels}\n"


@pytest.mark.slow
def test_an_interrupted_run_closes_its_recording(tmp_path):
    with Run("run", "arena:yard", "--ring", "yard.ring", *ANYWHERE) as run:
        run.ctl("enter")
        code, out, err = run.interrupt()
    assert (code, err.strip()) == (130, "playhead: interrupted")
    assert "objects at the end" in out
    assert RingSource.open(tmp_path / "yard.ring").span is not None


@pytest.mark.slow
def test_a_locked_run_answers_only_those_it_knows(tmp_path, failing):
    public, secret = make("studio", tmp_path / "studio")
    _, ann = make("ann", tmp_path / "tools")
    options = ("--keys", str(secret), "--clients", str(tmp_path / "tools"), "--json")
    with Run("run", failing, "--seconds", "600", *ANYWHERE, *options) as run:
        keys = ("--keys", str(ann), "--server", str(public))
        assert run.ctl("enter", *keys)["mode"] == "paused"
        with Client(run.address, keys=ClientKeys(load(ann), load_public(public))) as client:
            assert client.snapshot().time.mode == "paused"
        stranger = run_process(PLAYHEAD, "ctl", run.address, "leave", "--timeout", "1")
        assert stranger.returncode == 2


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--pause",), "--pause and --no-pause need a window or --bus"),
        (("--no-pause",), "--pause and --no-pause need a window or --bus"),
        (("--keys", "a"), "give both"),
        (("--bus", "--clients", "a"), "give both"),
        (("--bus", "tcp://0.0.0.0:*"), "that needs keys"),
        (("--bus=what is this",), "address 'what is this'"),
    ],
)
def test_mistakes_are_reported_before_the_game_runs(mistaken, args, message):
    assert message in mistaken("run", "arena:yard", "--headless", *args)


@pytest.mark.slow
def test_an_address_that_is_taken_is_reported():
    with Run("run", "arena:yard", *ANYWHERE) as run:
        done = run_process(PLAYHEAD, "run", "arena:yard", "--headless", "--bus", run.address)
    assert (done.returncode, done.stdout) == (2, "")
    assert "in use" in done.stderr


@pytest.mark.slow  # seventeen seconds of game time, at real time
def test_the_demo_pauses_at_its_failure_until_a_tool_says_leave():
    with Run("demo", *ANYWHERE) as run:
        stands = run.find("^The game is paused").string
        assert run.address in stands
        now = run.ctl("status")["now"]
        assert now["mode"] == "paused"
        assert f"frame {now['frame']}" in stands
        run.ctl("step", "-5")
        run.ctl("leave")
        code, out, err = run.end()
    assert (code, err) == (0, "")
    assert out.count("equal") == 2
    story = Path("out/demo.txt").read_text(encoding="utf-8")
    assert "CHECK FAILED" in story
    assert "equal" in story


# --- the start screen ----------------------------------------------------------------------------

HALLS = """
from itertools import count

from playhead.games.arena.fps.match.hall_game import AimGame


def patient(seed=None):
    return AimGame(seed=seed, mode="ask", start_limit=600.0)


def hasty(seed=None):
    # A second passes whenever somebody looks at the clock.
    return AimGame(seed=seed, mode="ask", clock=count().__next__)
"""


def test_a_tool_chooses_the_mode_on_the_start_screen(tmp_path):
    (tmp_path / "halls.py").write_text(HALLS)
    with (
        Run("run", "halls:patient", "--seconds", "600", *ANYWHERE) as run,
        Client(run.address, timeout=LIMIT) as client,
    ):
        chosen = client.call("arena", {"order": "choose", "mode": "train-goto"})
        assert chosen["mode"] == "train-goto"
        until(lambda: client.published("arena").body["target"] == "goto", client)
        with pytest.raises(PlayheadError, match="train-goto was chosen and can't be changed"):
            client.call("arena", {"order": "choose", "mode": "test"})


def test_when_no_mode_is_chosen_in_time_the_run_ends_with_that_error_and_keeps_its_clip(tmp_path):
    (tmp_path / "halls.py").write_text(HALLS)
    with Run("run", "halls:hasty", *ANYWHERE, "--clip", "start.mcap") as run:
        code, out, err = run.end()
    assert (code, out) == (2, "")
    assert err.splitlines() == [
        "playhead: no mode was chosen within 45 s of the start: the environment has closed;"
        " what led to it is in start.mcap"
    ]
    with ClipSource.open(tmp_path / "start.mcap") as clip:
        facts = {key: result for (_, _, key), result in clip.facts(clip.span.newest).items()}
        assert facts["arena"]["mode"] == ""


def test_a_run_that_is_over_before_the_choice_says_what_it_recorded(tmp_path):
    (tmp_path / "halls.py").write_text(HALLS)
    with Run("run", "halls:patient", "--seconds", "0.2", "--json", *ANYWHERE) as run:
        facts = run.facts()
    assert (facts["game"], facts["frames"], facts["objects"]) == ("arena:doomlike", 4, 0)
