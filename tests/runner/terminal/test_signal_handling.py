"""Ctrl-C and polite kills: what a command has is kept, and its exit code says what happened."""

import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from playhead.agents.demo_reader import read_demo
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.verify_clip import verify

from ...support.process import PLAYHEAD, Ended, Process, run_process
from ...support.spinning_tops import RUN
from ...support.waits import until

GAME = '''
import signal, time

from tests.support.spinning_tops import Tops


class Endless(Tops):
    """Says so once it runs, and in each step stands at the same place at begin and end."""

    def step(self):
        super().step()
        if self.world.steps == 20:
            print("running", flush=True)
        time.sleep(0.001)

    def state_hash(self):
        return "whole"


class Hanging(Endless):
    def step(self):
        super().step()
        if self.world.steps == 20:
            time.sleep(1000)

    def state_hash(self):
        raise AssertionError("asked within a step")


class Deaf(Endless):
    """Swallows whatever is raised within its step."""

    def step(self):
        try:
            super().step()
        except BaseException:
            pass


class Fast(Endless):
    def step(self):
        self.world.step()
        if self.world.steps == 20_000:
            print("running", flush=True)


def patched(game, signals):
    from playhead.recorder.clips import clip_writer

    add, left = clip_writer.ClipWriter.add, list(signals)

    def slow(self, image):
        add(self, image)
        if left:
            signal.raise_signal(left.pop(0))

    clip_writer.ClipWriter.add = slow
    return game


def interrupted_while_saving():
    return patched(Fast(), [signal.SIGINT])


def interrupted_twice_while_saving():
    return patched(Fast(), [signal.SIGINT, signal.SIGINT])
'''

Start = Callable[..., Process]


@pytest.fixture
def start(tmp_path: Path, start_process: Start) -> Start:
    """Start a command beside the games above, and wait until it says `running`."""
    (tmp_path / "mine.py").write_text(GAME)

    def begin(*args: str, ready: str = "running") -> Process:
        process = start_process(PLAYHEAD, *args, env=RUN)
        assert not ready or ready in process.line()
        return process

    return begin


def ended(process: Process) -> Ended:
    end = process.end()
    assert "Traceback" not in end.stderr
    return end


def parts(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


@pytest.mark.parametrize(
    ("number", "code", "word"),
    [
        (signal.SIGINT, 130, "interrupted"),
        (signal.SIGTERM, 143, "terminated"),
        (signal.SIGHUP, 129, "terminated"),
    ],
)
def test_a_run_that_is_ended_by_a_signal_saves_its_clip_first(start, tmp_path, number, code, word):
    run = start("run", "mine:Endless", "--headless", "--seconds", "9999", "--clip", "x.mcap")
    run.send_signal(number)
    found, out, err = ended(run)
    assert found == code
    assert err == f"playhead: {word}: what was held until then is in x.mcap\n"
    assert "clip      x.mcap" in out
    assert "hash      whole" in out
    assert verify(tmp_path / "x.mcap").ok
    with ClipSource.open(tmp_path / "x.mcap") as clip:
        assert clip.span.newest >= 20
    assert parts(tmp_path) == []


def test_with_json_a_run_that_was_interrupted_is_still_one_object(start, tmp_path):
    run = start("run", "mine:Endless", "--headless", "--clip", "x.mcap", "--json", "--seconds=9999")
    run.send_signal(signal.SIGINT)
    code, out, err = ended(run)
    facts = json.loads(out)
    assert (code, err, facts["clip"]) == (130, "", "x.mcap")
    assert facts["error"]["kind"] == "interrupted"
    assert facts["frames"] >= 20


def test_a_run_without_a_clip_says_what_it_recorded_and_exits_with_the_signal(start):
    run = start("run", "mine:Endless", "--headless", "--seconds", "9999")
    run.send_signal(signal.SIGTERM)
    code, out, err = ended(run)
    assert (code, err) == (143, "playhead: terminated\n")
    assert out.startswith("tops: ")


def test_a_step_that_hangs_is_broken_off_and_what_led_to_it_is_saved(start, tmp_path):
    run = start("run", "mine:Hanging", "--headless", "--seconds", "9999", "--clip", "x.mcap")
    run.send_signal(signal.SIGTERM)  # once, as a job's time limit does
    code, out, _ = ended(run)
    assert code == 143
    assert "hash      unknown" in out
    with ClipSource.open(tmp_path / "x.mcap") as clip:
        assert clip.span.newest == 19


def test_a_game_that_swallows_the_interrupt_ends_all_the_same(start, tmp_path):
    run = start("run", "mine:Deaf", "--headless", "--seconds", "9999", "--clip", "x.mcap")
    run.send_signal(signal.SIGINT)
    assert ended(run)[0] == 130
    assert verify(tmp_path / "x.mcap").ok


def test_an_interrupt_while_the_clip_is_saved_lets_it_be_finished(start, tmp_path):
    run = start(
        "run", "mine:interrupted_while_saving", "--headless", "--seconds", "2000",
        "--clip", "x.mcap",
    )  # fmt: skip
    code, _, err = ended(run)
    assert code == 130
    assert "saving x.mcap: a second signal gives it up" in err
    assert verify(tmp_path / "x.mcap").ok


def test_a_second_interrupt_gives_the_clip_up_and_leaves_nothing_of_it(start, tmp_path):
    run = start(
        "run", "mine:interrupted_twice_while_saving", "--headless", "--seconds", "2000",
        "--clip", "x.mcap",
    )  # fmt: skip
    code, out, err = ended(run)
    assert code == 130
    assert err.endswith("playhead: interrupted: x.mcap was given up: there is no clip\n")
    assert "clip      " not in out
    assert not (tmp_path / "x.mcap").exists()
    assert parts(tmp_path) == []


def test_a_run_on_the_bus_that_waits_for_its_next_step_saves_its_clip_too(start, tmp_path):
    run = start(
        "run", "mine:Endless", "--headless", "--seconds", "9999", "--clip", "x.mcap",
        "--bus", "tcp://127.0.0.1:*",
    )  # fmt: skip
    run.send_signal(signal.SIGINT)
    assert ended(run)[0] == 130
    assert verify(tmp_path / "x.mcap").ok


@pytest.mark.slow
def test_a_second_run_keeps_the_clip_of_the_first(start, tmp_path):
    for _ in range(2):
        code, _, err = ended(
            start(
                "run", "mine:Endless", "--headless", "--seconds", "1", "--clip", "x.mcap", ready=""
            )
        )
        assert code == 0
    assert err == "playhead: x.mcap: the clip that was there is now x.1.mcap\n"
    assert verify(tmp_path / "x.mcap").ok
    assert verify(tmp_path / "x.1.mcap").ok


def test_a_demo_that_is_interrupted_is_kept_with_its_saved_games(start, tmp_path):
    recording = start("demo-record", "arena:village", "x.csv", "--headless", ready="")
    until(lambda: len(rows(tmp_path / "x.csv")) > 6)  # with the header
    recording.send_signal(signal.SIGINT)
    code, out, err = ended(recording)
    assert code == 130
    assert err == "playhead: interrupted: what was played is in x.csv\n"
    assert "saved     x.end.save" in out
    assert len(read_demo(tmp_path / "x.csv")) > 5


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_a_replay_that_is_terminated_exits_with_the_signal_and_ends_its_agent(start):
    replay = start("replay", "arena:village", "--outside", "--headless", ready="")

    def processes() -> list[Path]:
        """Those that the command has started, and those that these have."""
        found, seen = [replay.pid], []
        while found:
            children = Path(f"/proc/{found.pop()}").glob("task/*/children")
            started = [int(one) for file in children for one in file.read_text().split()]
            found += started
            seen += started
        return [Path(f"/proc/{one}") for one in seen]

    def plays(process: Path) -> bool:
        return any("ZMQ" in name.read_text() for name in process.glob("task/*/comm"))

    until(lambda: any(map(plays, processes())))
    started = processes()
    replay.send_signal(signal.SIGTERM)
    assert ended(replay)[0] == 143
    until(lambda: not any(process.exists() for process in started))


@pytest.mark.slow
def test_a_clip_that_is_being_cut_leaves_nothing_when_the_command_is_terminated(start, tmp_path):
    assert (
        ended(
            start("run", "mine:Endless", "--headless", "--seconds=1", "--clip", "x.mcap", ready="")
        )[0]
        == 0
    )
    script = (
        "import signal\n"
        "from playhead.cli.main import main\n"
        "from playhead.recorder.clips.clip_writer import ClipWriter\n"
        "add = ClipWriter.add\n"
        "def slow(self, image):\n"
        "    add(self, image)\n"
        "    signal.raise_signal(signal.SIGTERM)\n"
        "ClipWriter.add = slow\n"
        "main(['clip', 'cut', 'x.mcap', 'y.mcap'])\n"
    )
    cut = run_process(sys.executable, "-c", script)
    assert (cut.returncode, cut.stderr) == (143, "playhead: terminated\n")
    assert sorted(path.name for path in tmp_path.glob("*y.mcap*")) == []


def rows(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []
