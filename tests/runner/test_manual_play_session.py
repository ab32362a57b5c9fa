"""What people do to a running game: hold its pad, record demos, pause it by hand."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from playhead.agents.demo_reader import read_demo
from playhead.errors import CommandError, RecordingError
from playhead.games.arena.yard_game import ArenaGame
from playhead.playback.commands import Enter
from playhead.playback.pads.pad import NEUTRAL, Button, Pad
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recorder.clips.clip_source import ClipSource
from playhead.runner.manual_play_session import PAUSED, ManualPlayControls
from playhead.runner.realtime_loop import RealtimeLoop
from playhead.session import Session

from ..support.process import LENIENT, PLAYHEAD, run_process


class FakeWindow:
    """A window with scripted commands."""

    def __init__(self) -> None:
        self.commands: list[str] = []
        self.sent: list[str] = []

    def take_command(self) -> str:
        return self.commands.pop(0) if self.commands else ""

    def send(self, line: str) -> None:
        self.sent.append(line)


class PlayedGame:
    """A game that is played step by step."""

    def __init__(self, *, window: bool = True, demo: Path | None = None) -> None:
        self.game = ArenaGame(seed=3)
        self.session = Session(
            self.game.world, "4 MiB", handlers=self.game.handlers, on_check=UNATTENDED
        )
        self.game.attach(self.session)
        self.pad: Pad | None = None
        """What a tool holds; it says so with each step, or it would be taken for gone."""
        self.window = FakeWindow() if window else None
        try:
            self.interaction = ManualPlayControls(
                self.game, self.session, window=self.window, demo=demo
            )
        except BaseException:
            self.session.close()
            raise

    def step(self, steps: int = 1) -> Pad:
        """Make steps as `playhead run` does; what the last one was played with."""
        for _ in range(steps):
            assert self.session.live
            if self.pad is not None:
                self.session.pads.hold(self.pad)
            self.interaction.before()
            self.game.step()
            self.interaction.after()
            self.session.update(self.game.dt)
            self.interaction.recorded()
        return self.game.pad

    def close(self) -> None:
        self.interaction.close()
        self.session.close()


@pytest.fixture
def stage():
    made = []

    def make(**settings):
        made.append(PlayedGame(**settings))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_until_the_window_holds_the_pad_nobody_does(stage):
    one = stage()
    assert one.step() == NEUTRAL
    one.pad = Pad(left=(1.0, 0.0))
    assert one.step() == Pad(left=(1.0, 0.0))


def test_without_a_window_the_scripted_person_plays_until_a_tool_does(stage):
    one, reference = stage(window=False), ArenaGame(seed=3)
    one.step(200)
    for _ in range(200):
        reference.step()
    assert one.game.state_hash() == reference.state_hash()
    one.pad = Pad(held=Button.LB)
    assert one.step() == Pad(held=Button.LB)


def test_the_pause_key_stops_the_game_at_a_frame_that_is_marked(stage):
    one = stage()
    one.step(5)
    one.window.commands.append("pause")
    one.step()
    assert not one.session.live
    assert one.session.playhead.state.frame == 6
    marks = [(mark.name, mark.frame, mark.object) for mark in one.session.source.marks()]
    assert marks == [(PAUSED, 6, one.game.player)]


def test_an_agents_pad_is_recorded_with_its_age(stage):
    one = stage(window=False)
    one.step(30)
    one.session.pads.hold(Pad(left=(0.0, 1.0)), origin="agent#1", time=20 * one.game.dt)
    one.step()
    ages = one.session.source.watches(31)
    assert ages[one.game.player, "pad age"] == pytest.approx(10 * one.game.dt)
    assert (one.game.player, "pad age") not in one.session.source.watches(30)


def test_a_demo_is_recorded_from_the_first_step(stage, tmp_path, capsys):
    path = tmp_path / "walk.csv"
    one = stage(demo=path)
    assert one.window.sent == [f"demo {path}"]
    one.pad = Pad(left=(0.0, 1.0), held=Button.RB)
    one.step(60)
    one.pad = Pad(held=Button.A)
    one.step(2)
    one.interaction.close()
    rows = read_demo(path).rows
    assert len(rows) == 31
    assert [row.button_r for row in rows] == [True, *[False] * 30]
    assert [row.button_a for row in rows] == [*[False] * 30, True]
    assert {row.stick_y for row in rows[:30]} == {1.0}
    assert rows[29].player_y > rows[0].player_y + 2.0
    assert {row.level for row in rows} == {"yard"}
    # Where the player was is what the recording says of the same frame.
    at = {packet.id: packet.position for packet in one.session.source.objects(59)}
    assert at[one.game.player][:2] == pytest.approx((rows[29].player_x, rows[29].player_y))
    assert f"demo {path}: 31 rows" in capsys.readouterr().err
    assert one.window.sent[-2:] == ["demo ", f"say demo {path}: 31 rows"]


def test_the_demo_key_begins_and_ends_demos_and_replaces_none(stage, tmp_path):
    one = stage()
    for _ in range(3):
        one.window.commands.append("demo")
        one.step(10)
        one.window.commands.append("demo")
        one.step(10)
    found = sorted(path.name for path in tmp_path.glob("*.csv"))
    assert found == ["arena-yard-2.csv", "arena-yard-3.csv", "arena-yard.csv"]
    assert {len(read_demo(tmp_path / name).rows) for name in found} == {5}
    assert [mark.name for mark in one.session.source.marks()] == ["demo begins"] * 3


def test_while_the_game_is_paused_a_demo_has_no_rows(stage, tmp_path):
    one = stage(demo=tmp_path / "walk.csv")
    one.step(10)
    one.session.apply(Enter(), now=True)
    for _ in range(20):
        one.session.update(one.game.dt)
    one.session.leave()
    one.step(10)
    one.interaction.close()
    assert len(read_demo(tmp_path / "walk.csv").rows) == 10


def test_a_demo_that_is_there_is_not_replaced(stage, tmp_path):
    (tmp_path / "walk.csv").write_text("mine")
    with pytest.raises(RecordingError, match="already"):
        stage(demo=tmp_path / "walk.csv")


def test_a_full_disk_ends_the_demo_and_not_the_game(stage, capsys):
    if not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    one = stage(demo=Path("walk.csv"))
    one.interaction._demo._file.close()
    one.interaction._demo._file = open("/dev/full", "w", buffering=1)  # noqa: SIM115
    import csv

    one.interaction._demo._csv = csv.writer(one.interaction._demo._file)
    one.step(4)
    assert "walk.csv: the demo can't be written" in capsys.readouterr().err
    assert one.session.status.frames == 4


class Padless:
    """A game as they were before."""

    name, dt = "old", 0.1


def test_a_game_without_a_pad_is_run_but_gives_no_demo(tmp_path):
    game = ArenaGame(seed=3)
    with Session(game.world, "1 MiB", handlers=game.handlers) as session:
        ManualPlayControls(Padless(), session).before()
        with pytest.raises(CommandError, match="old has no pad"):
            ManualPlayControls(Padless(), session, demo=tmp_path / "x.csv")
    assert not (tmp_path / "x.csv").exists()


# --- as commands ----------------------------------------------------------------------------------


def playhead(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return run_process(
        PLAYHEAD, *args, limit=100, env={**dict.fromkeys(hidden), **LENIENT, **environment}
    )


@pytest.mark.slow
def test_the_scripted_persons_demo_is_recorded_without_a_window(tmp_path):
    done = playhead("run", "arena:yard", "--headless", "--seconds", "3", "--demo", "walk.csv")
    assert done.returncode == 0, done.stderr
    assert done.stderr == "demo walk.csv: 90 rows\n"
    assert len(read_demo(tmp_path / "walk.csv").rows) == 90


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have a display")
@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"QT_QPA_PLATFORM": ""}, "there is no display"),
        ({"QT_QPA_PLATFORM": "offscreen"},
         "there is no display: QT_QPA_PLATFORM is offscreen"),
        pytest.param({"QT_QPA_PLATFORM": "minimal:enable_fonts"},
         "there is no display: QT_QPA_PLATFORM is minimal", marks=pytest.mark.slow),
        ({"DISPLAY": ":61234"}, "the display :61234 of DISPLAY does not answer"),
    ],
)  # fmt: skip
def test_without_a_display_it_says_so_in_a_line_and_runs(settings, why):
    done = playhead("run", "arena:yard", "--seconds", "0.1", **settings)
    assert done.returncode == 0
    assert done.stderr == f"playhead: {why}: going on without a window (or say --headless)\n"
    assert done.stdout.startswith("arena:yard: 6 frames")


@pytest.mark.slow
def test_a_window_that_can_not_be_opened_ends_the_run_with_an_error(tmp_path):
    pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)
    done = playhead("run", "arena:yard", "--clip", "x.mcap", QT_QPA_PLATFORM="vnx")
    assert done.returncode == 2, done.stderr
    assert "the window broke, with exit code" in done.stderr.splitlines()[-1]
    # What was recorded until then is kept all the same.
    with ClipSource.open(tmp_path / "x.mcap") as clip:
        assert clip.span.newest == 1


# --- pace -----------------------------------------------------------------------------------------


def test_a_pace_ends_with_those_who_want_it():
    game = ArenaGame(seed=3)
    with Session(game.world, "1 MiB", handlers=game.handlers) as session:
        ended = []
        loop = RealtimeLoop(session, game.dt, ended=lambda: bool(ended))
        assert loop.wait_for_step()
        game.step()
        session.update(game.dt)
        session.apply(Enter(), now=True)
        session.on_order = lambda: None
        ended.append(True)
        loop.wake()
        assert not loop.wait_for_step()
        loop.wait_until(lambda: False)
        loop.wait_until_live()
