"""A ring's path: what is there is kept, moved away only if it is a ring, or refused."""

import os
import socket
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from playhead.errors import CapacityError, DamagedError, RecordingError
from playhead.native.create_ring_file import create_file
from playhead.native.ring import FrameRing
from playhead.native.ring_memory import open_file

from ...support.process import Process, run_python

HERE = (0.0, 0.0, 0.0)
POSIX = pytest.mark.skipif(os.name != "posix", reason="pipes and devices are a matter of POSIX")


def ring_at(path: Path, payload: bytes) -> None:
    with FrameRing("64 KiB", path=path) as ring:
        ring.begin()
        ring.record(1, 1, True, HERE, HERE, payload)
        ring.commit(0.0, 0.0)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


FOREIGN: dict[str, Callable[[Path], object]] = {
    "a clip": lambda path: path.write_bytes(b"\x89MCAP0\r\n" + bytes(100)),
    "a text": lambda path: path.write_text("my notes"),
    "short": lambda path: path.write_bytes(b"PLAY"),
    "zeros": lambda path: path.write_bytes(bytes(4096)),
    "a folder": lambda path: path.mkdir(),
    "a pipe": os.mkfifo,
    "a socket": make_socket,
    "a link to a file": lambda path: path.symlink_to(__file__),
    "a link to a device": lambda path: path.symlink_to(os.devnull),
    "a link to nothing": lambda path: path.symlink_to("nowhere"),
}


def looks(path: Path) -> tuple[int, int, int, bytes | str]:
    there = path.lstat()
    content: bytes | str = b""
    if stat.S_ISREG(there.st_mode):
        content = path.read_bytes()
    elif stat.S_ISLNK(there.st_mode):
        content = os.readlink(path)
    return there.st_ino, there.st_mode, there.st_size, content


@POSIX
@pytest.mark.parametrize("what", FOREIGN)
@pytest.mark.parametrize("place", ["game.ring", "game.ring.old"])
def test_what_is_no_ring_is_refused_and_stays(
    what: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket may not be long
    path, foreign = Path("game.ring"), Path(place)
    if foreign != path:
        ring_at(path, b"kept")
    FOREIGN[what](foreign)
    before = {name: looks(Path(name)) for name in os.listdir()}
    with pytest.raises(RecordingError, match="give another path, or move it away") as caught:
        FrameRing("64 KiB", path=path)
    assert str(caught.value).startswith(f"{foreign}: ")
    assert {name: looks(Path(name)) for name in os.listdir()} == before


@POSIX
@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root makes devices")
def test_a_device_is_refused_also_to_root(tmp_path: Path) -> None:
    path = tmp_path / "null"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except OSError:
        pytest.skip("no devices can be made here")
    with pytest.raises(RecordingError, match="this is a device"):
        FrameRing("64 KiB", path=path)
    assert stat.S_ISCHR(path.stat().st_mode)


def test_an_empty_file_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "game.ring"
    path.touch(0o600)
    before = path.stat()
    ring_at(path, b"here")
    after = path.stat()
    assert (before.st_ino, before.st_mode) == (after.st_ino, after.st_mode)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("there", [False, True], ids=["new", "empty before"])
def test_a_ring_that_can_not_be_made_leaves_what_was_there(there: bool, tmp_path: Path) -> None:
    path = tmp_path / "game.ring"
    if there:
        path.touch()
    with pytest.raises(CapacityError):
        FrameRing("1 KiB", path=path, latch="1 MiB")
    with pytest.raises(CapacityError):
        create_file(path, 1 << 62)
    assert [file.stat().st_size for file in tmp_path.iterdir()] == [0] * there


def test_an_old_ring_that_is_recorded_into_is_not_replaced(tmp_path: Path) -> None:
    path, old = tmp_path / "game.ring", tmp_path / "game.ring.old"
    ring_at(path, b"first")
    refused = pytest.raises(RecordingError, match="another process is recording into it")
    with FrameRing("64 KiB", path=old), refused:
        FrameRing("64 KiB", path=path)
    assert FrameRing.open(path).packets(1)[0][8] == b"first"


KILLED = """
import os, signal, sys
from pathlib import Path
from playhead.native import create_ring_file, ring
def killed(*_): os.kill(os.getpid(), signal.SIGKILL)
places = {"mapping": (create_ring_file, "_mapped"), "laying out": (ring._ring, "Ring")}
setattr(*places[sys.argv[2]], killed)
ring.FrameRing("64 KiB", path=Path(sys.argv[1]))
"""


@POSIX
@pytest.mark.parametrize("when", ["mapping", "laying out"])
def test_a_process_that_is_killed_while_it_makes_a_ring_does_not_block_the_next(
    when: str, tmp_path: Path
) -> None:
    path = tmp_path / "game.ring"
    assert run_python(KILLED, path, when).returncode == -9
    with pytest.raises(DamagedError, match=str(path)):
        FrameRing.open(path)
    ring_at(path, b"next")
    assert FrameRing.open(path).packets(1)[0][8] == b"next"


RACE = """
import sys
from pathlib import Path
from playhead.errors import RecordingError
from playhead.native.ring import FrameRing
sys.stdin.readline()
try:
    ring = FrameRing("64 KiB", path=Path(sys.argv[1]))
except RecordingError:
    print("refused", flush=True)
else:
    ring.begin()
    ring.record(1, 1, True, (0, 0, 0), (0, 0, 0), sys.argv[2].encode())
    ring.commit(0.0, 0.0)
    print("records", flush=True)
    sys.stdin.readline()
    ring.close()
"""


@POSIX
def test_of_many_that_begin_at_once_one_records_and_no_living_ring_is_moved(
    tmp_path: Path, start_process: Callable[..., Process]
) -> None:
    path = tmp_path / "game.ring"
    ring_at(path, b"before")
    games = [
        start_process(sys.executable, "-c", RACE, path, number, talks=True)
        for number in range(4)
    ]  # fmt: skip
    for game in games:
        game.say("go")
    output = [game.line() for game in games]
    now = FrameRing.open(path)
    here = now.packets(1)[0][8] if now.newest else b""
    for number, game in enumerate(games):
        if output[number] == "records":
            game.say()
        game.wait()
    assert output.count("records") == 1
    assert here == str(output.index("records")).encode()
    assert FrameRing.open(path.with_name("game.ring.old")).packets(1)[0][8] == b"before"


@POSIX
def test_reading_something_that_is_no_file_says_so_and_does_not_wait(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.ring"
    os.mkfifo(pipe)
    for path, what in (
        (pipe, "a named pipe"),
        (tmp_path, "a folder"),
        (Path("/dev/null"), "a device"),
    ):
        with pytest.raises(DamagedError, match=what):
            open_file(path)
        with pytest.raises(DamagedError, match=what):
            FrameRing.open(path)
