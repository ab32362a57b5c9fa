"""`playhead view`: what it says where it can't show anything, and the pictures it saves."""

import random
import re
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import zmq

import playhead as ph
from playhead.bus.running_viewer import InstanceInfo, SingleInstance
from playhead.bus.server.bus_settings import BusSettings
from playhead.cli import main as cli
from playhead.playback.recording_url import RecordingLink
from playhead.recorder.clips.save_clip import save
from playhead.runner import command_error
from playhead.session import Session
from playhead.viewer.backends.open_target import check_target, target_of
from playhead.viewer.toolkit.time_text import parse_seek

from ...support.fake_world import FakeWorld
from ...support.process import run_process

WITHOUT_QT = """
import sys
sys.modules["PyQt6"] = None
from playhead.cli.main import main
main(sys.argv[1:])
"""


@pytest.fixture
def clip(tmp_path) -> Path:
    """Ten frames with a mark and a watched value."""
    path = tmp_path / "ten.mcap"
    world = FakeWorld()
    with Session(world, "1 MiB") as session:
        for frame in range(1, 11):
            world.seconds = 0.125 * frame
            session.watch("speed", float(frame), object=7)
            if frame == 4:
                session.mark("here")
            session.update(0.125)
        save(path, session.source.ring)
    return path


def view(*args: object, code: int = 0) -> None:
    with pytest.raises(SystemExit) as exit:
        cli.main(["view", *map(str, args)])
    assert exit.value.code == code


def test_a_picture_needs_no_display(clip, tmp_path, capsys, monkeypatch):
    qt = pytest.importorskip("PyQt6.QtGui", exc_type=ImportError)
    monkeypatch.delenv("DISPLAY", raising=False)
    picture = tmp_path / "ten.png"
    view(clip, "--screenshot", picture, "--size", "800x600", "--at", "here")
    assert capsys.readouterr().out == f"saved {picture}\n"
    image = qt.QImage(str(picture))
    assert (image.width(), image.height()) == (800, 600)


def test_a_place_that_is_not_there_is_an_error_and_no_picture(clip, tmp_path, capsys):
    pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)
    view(clip, "--screenshot", tmp_path / "no.png", "--at", "nowhere", code=2)
    assert "no mark is named 'nowhere'" in capsys.readouterr().err
    assert not (tmp_path / "no.png").exists()


def test_a_picture_that_is_no_png_is_refused(clip, capsys):
    view(clip, "--screenshot", "q.txt", code=2)
    assert "q.txt: a picture is a PNG: name it q.png" in capsys.readouterr().err


def test_without_a_display_it_says_what_to_do(clip, capsys, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    view(clip, code=2)
    assert "--screenshot PNG" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "message"),
    [(["--size", "big"], "--size 'big'"), (["--size", "10x10"], "--size '10x10'"),
     (["--at", "#x"], "number of a frame"), (["missing.mcap"], "missing.mcap"),
     (["what is this"], "what is this")],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_with_its_name(args, message, capsys, monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    view(*args, "--screenshot", "x.png", code=2)
    assert message in capsys.readouterr().err


def test_a_damaged_file_is_reported_in_a_line(tmp_path, capsys):
    pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)
    broken = tmp_path / "broken.mcap"
    broken.write_bytes(b"\x89MCAP0\r\n nothing of use")
    view(broken, "--screenshot", tmp_path / "x.png", code=2)
    assert "broken.mcap" in capsys.readouterr().err


def test_without_qt_it_names_the_line_that_installs_it(clip, tmp_path):
    shown = run_process(
        sys.executable, "-c", WITHOUT_QT, "view", clip, "--screenshot", "x.png", cwd=tmp_path
    )
    assert shown.returncode == 2
    assert "which is not installed" in shown.stderr
    assert "viewer]" in shown.stderr


# --- links ------------------------------------------------------------------------------------


@pytest.fixture
def opened(monkeypatch):
    """What a window would be opened on, instead of the window."""
    app = pytest.importorskip("playhead.viewer.app.viewer_main", exc_type=ImportError)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    received = []

    def show(target, *, focus, commands, size, theme):
        received.append((target.location, *map(str, commands), focus))
        return 0

    monkeypatch.setattr(app, "show", show)
    return received


@pytest.fixture
def viewers(tmp_path, monkeypatch) -> Path:
    """Where the viewers of this test are looked for."""
    monkeypatch.setenv("PLAYHEAD_VIEWERS", str(tmp_path / "viewers"))
    return tmp_path / "viewers"


class Running:
    """A viewer that takes one link."""

    def __init__(self) -> None:
        self.links: list[RecordingLink] = []
        door = SingleInstance(lambda: InstanceInfo("/x", 0, 0, settled=True))
        self.thread = threading.Thread(target=self._run, args=(door,))
        self.thread.start()

    def _run(self, door: SingleInstance) -> None:
        poller = zmq.Poller()
        poller.register(door.handle, zmq.POLLIN)
        for _ in range(1000):
            poller.poll(20)
            while door.more:
                self.links += door.take()
            if self.links:
                break
        door.close()


@pytest.fixture
def running(viewers) -> Iterator[Running]:
    one = Running()
    yield one
    one.thread.join()


def test_a_link_opens_its_file_at_its_instant_and_object(clip, opened):
    view(f"playhead://{clip}#frame=7&focus=3")
    view(f"playhead://{clip.name}#mark=here")
    assert opened == [(str(clip), "SeekFrame(frame=7)", 3), (str(clip), "SeekMark(name='here')", 0)]


def test_what_is__beside_a_link_comes_before_what_is_statedin_it(clip, opened):
    view(f"playhead://{clip}#frame=7&focus=3", "--at", "0.5", "--focus", "7")
    assert opened == [(str(clip), "SeekTime(time=0.5)", 7)]


def test_a_link_to_a_running_game_opens_its_address(opened):
    view("playhead://tcp://127.0.0.1:9999#focus=2")
    assert opened == [("tcp://127.0.0.1:9999", 2)]


@pytest.mark.parametrize(
    ("link", "message"),
    [("playhead:///missing.mcap#frame=1", "/missing.mcap: there is no such file"),
     ("playhead:///a.mcap#fram=1", "knows frame, at, mark, focus"),
     ("playhead://", "names no file")],
)  # fmt: skip
def test_a_link_that_leads_nowhere_is_reported(link, message, capsys):
    view(link, code=2)
    assert message in capsys.readouterr().err


def test_a_viewer_that_runs_is_used_again_if_so_asked(clip, running, opened, capsys, monkeypatch):
    monkeypatch.delenv("QT_QPA_PLATFORM")
    monkeypatch.delenv("DISPLAY", raising=False)
    view(clip.name, "--at", "#4", "--focus", "7", "--reuse")
    running.thread.join()
    assert running.links == [RecordingLink(str(clip), frame=4, focus=7)]
    assert opened == []
    assert "shown in the viewer that runs already" in capsys.readouterr().out


def test_without_a_viewer_that_runs_one_is_opened(clip, viewers, opened):
    view(f"playhead://{clip}#frame=7", "--reuse")
    assert opened == [(str(clip), "SeekFrame(frame=7)", 0)]


@pytest.mark.parametrize("rest", [["--screenshot", "x.png"], ["--keys", "a", "--server", "b"]])
def test_what_a_running_viewer_can_not_do_is_not_asked_of_it(rest, clip, viewers, capsys):
    view(clip, "--reuse", *rest, code=2)
    assert f"{rest[0]} stays here" in capsys.readouterr().err


def test_a_picture_of_a_game_that_is_not_there_does_not_wait_for_long(
    tmp_path, capsys, monkeypatch
):
    pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)
    monkeypatch.setenv("PLAYHEAD_CONFIG", str(tmp_path / "config"))
    with zmq.Context() as context, context.socket(zmq.REP) as taken:
        port = taken.bind_to_random_port("tcp://127.0.0.1")
        picture = tmp_path / "x.png"
        began = time.monotonic()
        view(port, "--screenshot", picture, "--wait", "1.5", code=2)
        assert time.monotonic() - began < 30.0  # not for as long as a window tries
        output = capsys.readouterr().err
        # Which of the two depends on whether the first try is over by then.
        assert re.search(
            rf"tcp://127.0.0.1:{port}: no (playhead answers|game has answered) there", output
        )
        assert "waited 1.5 s" in output
        (tmp_path / "config").mkdir()
        (tmp_path / "config" / "viewer.toml").write_text('wait = "0.25"\n')
        view(port, "--screenshot", picture, code=2)
        result = "no game has answered there so far (waited 0.25 s)"
        assert result in capsys.readouterr().err
    assert not picture.exists()


def test_a_picture_of_a_game_without_frames_says_that_none_came(tmp_path, capsys):
    pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)
    with Session(FakeWorld(), "1 MiB", bus=BusSettings("tcp://127.0.0.1:*")) as session:
        view(session.bus.endpoint, "--screenshot", tmp_path / "x.png", "--wait", "1", code=2)
    assert "sent no frame within 1 s" in capsys.readouterr().err


def test_waiting_is_for_pictures(clip, capsys, monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    view(clip, "--wait", "3", code=2)
    assert "--wait is for --screenshot" in capsys.readouterr().err


# --- what can't be shown ------------------------------------------------------------------------


def damaged_everywhere(clip: Path) -> bytes:
    content = bytearray(clip.read_bytes())
    for at in range(200, len(content) - 300):
        content[at] ^= 0x5A
    return bytes(content)


@pytest.mark.parametrize("window", [False, True])
@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["folder"], "folder: this is a folder: name a clip or a ring in it"),
        (["/dev/null"], "/dev/null: this is no regular file"),
        (["gone.mcap"], "gone.mcap: there is no such file"),
        (["random.ring"], "random.ring: this is neither a clip nor a ring"),
        (["random.mcap"], "random.mcap: this is neither a clip nor a ring"),
        (["empty.mcap"], "empty.mcap: the file is empty"),
        (["head.mcap"], "head.mcap: "),
        (["head.ring"], "head.ring: the ring is cut off"),
        (["unreadable.mcap"], "unreadable.mcap: not one frame of this clip can be read"),
        (["CLIP", "--focus", "99999"], "ten.mcap: object 99999 is not in it"),
        (["CLIP", "--at", "#9999"], "ten.mcap: frame 9999 is not in it: it holds the frames 1 to"),
        (["CLIP", "--at", "99"], "ten.mcap: 99.000 s is not in it"),
        (["CLIP", "--at", "nowhere"], "no mark is named 'nowhere'"),
        (["LINK#frame=9999"], "ten.mcap: frame 9999 is not in it"),
        (["game.ring", "--at", "#9999"], "game.ring: frame 9999 is not in it"),
        (["game.ring", "--focus", "99999"], "game.ring: object 99999 is not in it"),
    ],
)
def test_what_can_not_be_shown_is_an_error_of_its_own(
    args, message, window, clip, tmp_path, capsys, monkeypatch
):
    pytest.importorskip("PyQt6.QtGui", exc_type=ImportError)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    noise = random.Random(7).randbytes(5000)
    (tmp_path / "folder").mkdir()
    (tmp_path / "random.ring").write_bytes(noise)
    (tmp_path / "random.mcap").write_bytes(noise)
    (tmp_path / "empty.mcap").touch()
    (tmp_path / "head.mcap").write_bytes(clip.read_bytes()[:40])
    (tmp_path / "unreadable.mcap").write_bytes(damaged_everywhere(clip))
    with Session(FakeWorld(), "64 KiB", path=tmp_path / "game.ring") as session:
        session.update(0.125)
    (tmp_path / "head.ring").write_bytes((tmp_path / "game.ring").read_bytes()[:2000])
    given = [{"CLIP": str(clip)}.get(arg, arg) for arg in args]
    given = [arg.replace("LINK", f"playhead://{clip}") for arg in given]
    view(*given, *([] if window else ["--screenshot", "x.png"]), code=command_error.FAILED)
    output = capsys.readouterr().err
    assert output.startswith("playhead: ")
    assert message in output
    assert len(output.splitlines()) <= 2
    assert not (tmp_path / "x.png").exists()


def test_a_picture_is_not_begun_where_there_is_no_folder_for_it(clip, capsys):
    view(clip, "--screenshot", "no/x.png", code=command_error.FAILED)
    assert "no/x.png: there is no folder" in capsys.readouterr().err


def test_the_beginning_is_at_0_and_rounded_times_are_in_a_recording(clip):
    for at in ("0", "0.1245", "1.2504", "#1", "#10", "here"):
        target = target_of(str(clip))
        check_target(target, [parse_seek(at)], focus=7)


def test_an_object_is_selected_by_name_and_an_unknown_one_named_with_those_there_are(
    tmp_path, capsys, monkeypatch
):
    pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)
    monkeypatch.chdir(tmp_path)
    with ph.record({"north": {"hp": 3.0}, "south": {"hp": 4.0}}, "two.mcap", dt=0.1) as rec:
        rec.update()
    target = target_of("two.mcap")
    assert check_target(target, focus="south") == check_target(target, focus=2) == 2
    view("two.mcap", "--focus", "sooth", "--screenshot", "x.png", code=command_error.FAILED)
    assert "did you mean 'south'?" in capsys.readouterr().err
    view("two.mcap", "--focus", "0", code=2)
    assert "ids go from 1 on" in capsys.readouterr().err


def test_find_prints_times_that_lead_to_their_frames_and_how_to_look_at_the_first(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    guard = {"hp": 100.0}
    with ph.record({"guard": guard}, "a run.mcap", dt=1 / 30) as rec:
        for _ in range(40):
            guard["hp"] -= 2
            rec.update()
    with pytest.raises(SystemExit):
        cli.main(["find", "a run.mcap", "hp < 79"])
    printed = capsys.readouterr()
    time, frame = printed.out.split()[0], printed.out.split()[3]
    assert printed.err.strip().endswith(f"playhead view 'a run.mcap' --at '#{frame}' --focus 1")
    with ph.open("a run.mcap") as run:
        for typed in (time, f"{float(time):.3f}"):
            command = parse_seek(typed)
            assert run.source.frame_at(command.time) == int(frame)
