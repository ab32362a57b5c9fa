"""Other recorders' Python loggers, a call for each object, beside `record`."""

import importlib
import struct
import tempfile
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from ..support.record_data import OBJECTS, Row, Tape, recording, rows
from ..support.report_table import Line
from ..support.timing import Case, Size, interleave

PACKED = struct.Struct("<QH?6f")
PROMISED = {"foxglove": 10.0, "mcap": 30.0, "rerun": 300.0}
"""How many times as long as `record` each takes, at least."""


class Logger(Protocol):
    """Somebody else's recorder, given one object at a time."""

    def __init__(self, folder: Path) -> None: ...
    def log(self, row: Row, frame: int) -> None: ...
    def close(self) -> None: ...


def measure(size: Size) -> list[Line]:
    data = rows(2)
    lines = []
    for peer, make in PEERS.items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                logger = make(Path(folder))
            except ImportError as error:
                lines.append(Line(f"record ÷ {peer}", None, note=f"not installed: {error.name}"))
                continue
            try:
                lines.append(_compare(peer, logger, data, size))
            finally:
                logger.close()
    return lines


def _compare(peer: str, logger: Logger, data: list[list[Row]], size: Size) -> Line:
    tape = Tape(min(64 << 20, size.memory))
    cases: dict[str, Case] = {"record": recording(tape, data), peer: _logging(logger, data)}
    times = interleave(cases, max(size.rounds // 4, 2))
    note = f"{peer} {times.ns(peer):,.0f} ns a call, {times.ratio(peer, 'record'):,.0f} times"
    return Line(f"record ÷ {peer}", times.ratio("record", peer), "×", 1 / PROMISED[peer], note)


def _logging(logger: Logger, data: list[list[Row]]) -> Case:
    frames, log = count(1), logger.log

    def case() -> int:
        for frame in data:
            number = next(frames)
            for row in frame:
                log(row, number)
        return len(data) * OBJECTS

    return case


def _packed(row: Row) -> bytes:
    id, type, targetable, position, angles = row
    return PACKED.pack(id, type, targetable, *position, *angles)


class Foxglove:
    """Raw bytes on one channel into an MCAP file, uncompressed."""

    def __init__(self, folder: Path) -> None:
        foxglove: Any = importlib.import_module("foxglove")
        mcap: Any = importlib.import_module("foxglove.mcap")
        self._context = foxglove.Context()
        self._writer = foxglove.open_mcap(
            folder / "a.mcap", context=self._context,
            writer_options=mcap.MCAPWriteOptions(compression=None),
        )  # fmt: skip
        schema = foxglove.Schema(name="raw", encoding="", data=b"")
        self._channel = foxglove.Channel(
            "/objects", schema=schema, message_encoding="raw", context=self._context
        )

    def log(self, row: Row, frame: int) -> None:
        self._channel.log(_packed(row), log_time=frame)

    def close(self) -> None:
        self._writer.close()


class Mcap:
    """The pure Python writer, uncompressed, into a file."""

    def __init__(self, folder: Path) -> None:
        module: Any = importlib.import_module("mcap.writer")
        path = str(folder / "a.mcap")
        self._writer = module.Writer(path, compression=module.CompressionType.NONE)
        self._writer.start()
        schema = self._writer.register_schema("raw", "", b"")
        self._channel = self._writer.register_channel("/objects", "raw", schema)

    def log(self, row: Row, frame: int) -> None:
        self._writer.add_message(self._channel, frame, _packed(row), frame)

    def close(self) -> None:
        self._writer.finish()


class Rerun:
    """An archetype for each object into a recording in memory."""

    def __init__(self, folder: Path) -> None:
        self._rerun: Any = importlib.import_module("rerun")
        self._recording = self._rerun.RecordingStream("benchmark")
        self._memory = self._recording.memory_recording()
        self._turned = self._rerun.Quaternion(xyzw=(0.0, 0.0, 0.0, 1.0))

    def log(self, row: Row, frame: int) -> None:
        self._recording.set_time("frame", sequence=frame)
        pose = self._rerun.Transform3D(translation=row[3], rotation=self._turned)
        self._recording.log(f"objects/{row[0]}", pose)

    def close(self) -> None:
        self._memory.drain_as_bytes()


PEERS: dict[str, type[Logger]] = {"foxglove": Foxglove, "mcap": Mcap, "rerun": Rerun}
