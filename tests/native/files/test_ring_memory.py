"""Where a ring's memory comes from: sizes as people write them, blocks, and files."""

import mmap
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from playhead.errors import CapacityError, DamagedError, RecordingError
from playhead.native.create_ring_file import create_file
from playhead.native.ring import FrameRing
from playhead.native.ring_memory import (
    allocate,
    copy_of,
    is_being_written,
    open_file,
    parse_size,
)

from ...support.process import Process, run_process

HERE = (0.0, 0.0, 0.0)
WRITER = Path(__file__).parents[1] / "isolated" / "hold_ring.py"


@pytest.mark.parametrize(
    ("written", "bytes"),
    [
        (0, 0),
        (4096, 4096),
        ("4096", 4096),
        ("64 MiB", 64 << 20),
        ("64mib", 64 << 20),
        ("  1.5 KiB ", 1536),
        ("2 GB", 2 * 10**9),
        ("2g", 2 * 10**9),
        ("3 kb", 3000),
        ("7 b", 7),
        ("0.5 MB", 500_000),
    ],
)
def test_a_size_is_bytes_or_text_with_a_unit(written: int | str, bytes: int) -> None:
    assert parse_size(written) == bytes


@pytest.mark.parametrize(
    "written",
    [-1, True, 1.5, None, b"5", "", "MiB", "-5", "5 XB", "5 MiB extra", "1e9", "nan", "inf"]
    + ["1.", ".5", "1,5 MB", "9" * 400, "9" * 5000 + " GiB"],
    ids=repr,
)
def test_what_is_no_size_is_refused_and_named(written: Any) -> None:
    with pytest.raises(CapacityError, match="is no size"):
        parse_size(written)


def test_a_block_has_its_size_and_is_zero() -> None:
    block = allocate(10_000)
    assert len(block) == 10_000
    assert block[:] == bytes(10_000)


@pytest.mark.parametrize("size", [1 << 62, 1 << 80])
def test_more_memory_than_there_is_is_refused(size: int, tmp_path: Path) -> None:
    with pytest.raises(CapacityError, match=str(size)):
        allocate(size)
    with pytest.raises(CapacityError, match=str(size)):
        create_file(tmp_path / "ring", size)
    assert list(tmp_path.iterdir()) == []


def record_one(ring: FrameRing, payload: bytes) -> None:
    ring.begin()
    assert ring.record(1, 1, True, HERE, HERE, payload)
    ring.commit(0.0, 0.0)


def test_a_ring_in_a_file_outlives_its_writer(tmp_path: Path) -> None:
    path = tmp_path / "game.ring"
    with FrameRing("64 KiB", path=path) as ring:
        record_one(ring, b"kept")
        assert ring.is_live
    assert path.stat().st_size == 64 << 10
    read = FrameRing.open(path)
    assert read.packets(1)[0][8] == b"kept"
    assert read.raw.finished
    assert not read.is_live
    read.close()


def test_a_ring_that_is_there_already_is_kept_as_old_and_one_that_goes_for_it_is_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "game.ring"
    for name, result in ((b"first", 0), (b"second", 0), (b"third", 1)):
        with FrameRing("64 KiB", path=path) as ring:
            record_one(ring, name)
        assert len(caplog.messages) == result
    assert "game.ring.old: the ring that was called so is replaced" in caplog.messages[0]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["game.ring", "game.ring.old"]
    assert FrameRing.open(path).packets(1)[0][8] == b"third"
    assert FrameRing.open(tmp_path / "game.ring.old").packets(1)[0][8] == b"second"


@pytest.fixture
def foreign_ring(tmp_path: Path) -> Iterator[Path]:
    """A ring that a process other than this one records into."""
    path = tmp_path / "foreign.ring"
    with Process(sys.executable, WRITER, path, talks=True) as writer:
        assert writer.line() == "holding"
        yield path
        writer.say()
        assert writer.wait() == 0


def test_a_file_that_a_living_process_records_into_is_refused(foreign_ring: Path) -> None:
    assert is_being_written(foreign_ring)
    before = foreign_ring.read_bytes()
    with pytest.raises(RecordingError, match="another recording writes into this file"):
        FrameRing("64 KiB", path=foreign_ring)
    assert foreign_ring.read_bytes() == before
    assert not foreign_ring.with_name("foreign.ring.old").exists()


def test_a_ring_of_a_living_process_can_be_read(foreign_ring: Path) -> None:
    for copy in (False, True):
        ring = FrameRing.open(foreign_ring, copy=copy)
        assert ring.is_live
        assert not ring.raw.finished
        assert ring.packets(1)[0][8] == b"from another process"
        with pytest.raises(RecordingError, match="reading"):
            ring.begin()


def test_a_second_ring_in_the_file_of_this_process_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "game.ring"
    with FrameRing("64 KiB", path=path), pytest.raises(RecordingError, match=r"game\.ring"):
        FrameRing("64 KiB", path=path)


def test_a_file_can_be_taken_when_its_writer_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "game.ring"
    assert run_process(sys.executable, WRITER, path, "die").returncode == -9
    assert not is_being_written(path)
    assert FrameRing.open(path).packets(1)[0][8] == b"from another process"
    with FrameRing("64 KiB", path=path) as ring:
        assert ring.newest is None


@pytest.mark.parametrize("where", ["no folder/ring", "file/ring", "folder"])
def test_a_path_that_can_hold_no_file_is_refused_and_named(where: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"mine")
    (tmp_path / "folder").mkdir()
    with pytest.raises(RecordingError, match=where.split("/", maxsplit=1)[0]):
        FrameRing("64 KiB", path=tmp_path / where)
    assert (tmp_path / "file").read_bytes() == b"mine"
    assert list((tmp_path / "folder").iterdir()) == []


REFUSED = """
import os, sys
from pathlib import Path
from playhead.errors import RecordingError
from playhead.native.ring import FrameRing
if os.geteuid() == 0:
    os.setuid(65534)
try:
    FrameRing("64 KiB", path=Path(sys.argv[1]))
except RecordingError as error:
    print("refused", error)
"""


@pytest.mark.skipif(os.name != "posix", reason="permissions are a matter of POSIX here")
@pytest.mark.parametrize("there", [False, True], ids=["new", "existing"])
def test_a_folder_that_may_not_be_written_is_refused(there: bool) -> None:
    # Not in tmp_path: there others than the owner could not even look.
    with TemporaryDirectory() as folder:
        path = Path(folder) / "game.ring"
        if there:
            path.write_bytes(b"somebody's")
            path.chmod(0o444)
        Path(folder).chmod(0o555)
        command = [sys.executable, "-c", REFUSED, str(path)]
        done = run_process(*command)
        Path(folder).chmod(0o755)
        assert not there or path.read_bytes() == b"somebody's"
    assert done.stdout.startswith("refused"), done.stderr
    assert str(path) in done.stdout


FULL = """
import resource, sys
from pathlib import Path
from playhead.errors import CapacityError
from playhead.native.ring import FrameRing
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    FrameRing("1 MiB", path=Path(sys.argv[1]))
except CapacityError as error:
    print("refused", error)
with FrameRing("64 KiB", path=Path(sys.argv[1])) as ring:
    ring.begin()
    ring.commit(0.0, 0.0)
print("recorded")
"""


@pytest.mark.skipif(os.name != "posix", reason="limits of file size are a matter of POSIX")
def test_a_disk_without_room_is_an_error_before_the_first_frame(tmp_path: Path) -> None:
    path = tmp_path / "game.ring"
    with FrameRing("64 KiB", path=path) as ring:
        record_one(ring, b"an older one")
    command = [sys.executable, "-c", FULL, str(path)]
    done = run_process(*command)
    assert done.stderr == ""
    refused, recorded = done.stdout.splitlines()
    assert refused.startswith("refused")
    assert str(path) in refused
    assert recorded == "recorded"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["game.ring", "game.ring.old"]
    assert FrameRing.open(tmp_path / "game.ring.old").packets(1)[0][8] == b"an older one"


def test_memory_too_small_for_a_ring_leaves_no_file(tmp_path: Path) -> None:
    for memory in (0, 1, 639):
        with pytest.raises(CapacityError):
            FrameRing(memory, path=tmp_path / "ring", latch=0)
        with pytest.raises(CapacityError):
            FrameRing(memory, latch=0)
    assert list(tmp_path.iterdir()) == []


def test_files_that_are_not_there_or_empty_are_damaged(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    for path in (tmp_path / "missing", tmp_path / "empty", tmp_path):
        for copy in (False, True, None):
            with pytest.raises(DamagedError, match=str(path)):
                FrameRing.open(path, copy=copy)
    assert not is_being_written(tmp_path / "missing")


def test_a_file_that_shrinks_while_it_is_copied_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ring"
    path.write_bytes(b"PLAYHEAD" + bytes(49_992))

    def shrinking(size: int, *, populate: bool) -> mmap.mmap:
        os.truncate(path, 10_000)
        return allocate(size, populate=populate)

    monkeypatch.setattr("playhead.native.ring_memory.allocate", shrinking)
    with open_file(path) as file, pytest.raises(DamagedError, match="from 50000 to 10000"):
        copy_of(file, path)


def test_a_copy_is_the_files_bytes_and_no_longer_depends_on_it(tmp_path: Path) -> None:
    path = tmp_path / "ring"
    path.write_bytes(b"PLAYHEAD" + os.urandom(5 * mmap.PAGESIZE + 3))
    before = path.read_bytes()
    with open_file(path) as file:
        block = copy_of(file, path)
    os.truncate(path, 0)
    assert block[:] == before


def test_more_than_a_ring_can_have_is_refused_before_it_is_taken() -> None:
    with pytest.raises(CapacityError, match="16 GiB at most"):
        FrameRing("17 GiB")
