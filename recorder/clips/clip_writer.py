"""Writes a clip: frames in, one file out, which appears under its name only when complete."""

import json
import os
import secrets
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec
from mcap.writer import CompressionType, Writer

from ...errors import CapacityError, DamagedError, EvictedError, RecordingError
from ...installation import version
from ...native.fork_safety import on_fork
from ..packets.layouts.plain_value_codec import decode
from ..packets.layouts.plain_value_codec import encode as encoded
from ..packets.mark import COLORS, Mark
from ..packets.packet_types import Kind
from ..reading.raw_frames import RawFrames
from ..saving.atomic_file import check_folder, check_free, check_replaceable, give_name
from .chunk_change_index import ChangeMaker
from .clip_chunk_index import ClipTables, encode_keys
from .clip_format import (
    ABOUT,
    ABOUT_FILE,
    CHANGES,
    CHANGES_BYTES,
    CHANNELS,
    CHECK,
    CHUNK_BYTES,
    CHUNK_TABLE,
    CONVENTIONS,
    ENCODINGS,
    FRAMES,
    GAP,
    KEY_TABLE,
    KEYFRAME_SHARE,
    LATCHED,
    MAJOR,
    MARK_TABLE,
    MINOR,
    MOST_CHUNK,
    MOST_MARKS,
    MSGPACK,
    OBJECT_TABLE,
    OWN,
    PROFILE,
    ChunkRow,
    Gap,
    Key,
    LatchedRow,
    frame_schema,
    metadata_check,
    texts_of,
)
from .frame_serialization import ReadImage, image_of, latched_before, read_image

_NEVER = 1 << 62
"""Bytes after which the library would end a chunk by itself."""
_ROOM = 2048 + len(frame_schema())
"""Bytes that a chunk takes besides keyframe and frames, at most: schema, channels, heads."""
_MESSAGE = 31
"""Bytes of a message besides its data."""


class ClipAttachment(NamedTuple):
    """A file that travels in a clip: a level's geometry, a screenshot."""

    name: str
    data: bytes
    media_type: str = "application/octet-stream"


class SavedClip(NamedTuple):
    """A clip that was written."""

    path: Path
    frames: int
    """How many it holds."""
    bytes: int
    """The size of the file."""
    gaps: tuple[Gap, ...]
    """Frames between its first and its last that it does not hold."""
    older: Path | None = None
    """Where the clip is now that had the file's name before; None if there was none."""


class ClipWriter:
    """A clip that is being written. As a context it is finished at the end, or taken back.

    Everything goes into a file beside the target, under a name that begins with a dot and ends in
    `.part`; `finish` gives it its own name. What a killed process leaves there can be read as a
    clip that was cut off.

    Memory: a few chunks' worth of bytes and the latched state; besides, some 2 KB for each chunk
    and a row for each key and object.

    Args:
        path: The file to be.
        about: Plain texts that describe the clip, beside the recording's own description.
        command: The command line that the game was started with.
        overwrite: Replace a file that is there; otherwise that is an error.
        keep_older: A clip that is there gets the next number instead: `run.1.mcap`.
        chunk_bytes: Bytes of frames after which a chunk ends, unless what is latched is larger.
        created: When the clip was made, in seconds since 1970; by default now.

    Raises:
        RecordingError: no file can be made there, or there is one.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        about: Mapping[str, str] | None = None,
        command: Sequence[str] = (),
        overwrite: bool = False,
        keep_older: bool = False,
        chunk_bytes: int = CHUNK_BYTES,
        created: float | None = None,
    ) -> None:
        self.path = Path(path)
        self._overwrite, self._keep_older = overwrite, keep_older
        self._chunk_bytes = chunk_bytes
        self._about = {str(key): str(value) for key, value in (about or {}).items()}
        self._part = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}.part")
        self._file = self._create()
        self._discard_part = weakref.finalize(self, _remove, self._file, self._part)
        on_fork(self)
        self._writer = Writer(
            self._file, chunk_size=_NEVER, compression=CompressionType.LZ4, enable_data_crcs=True
        )
        self._latched: dict[Key, tuple[int, int, bytes]] = {}
        self._is_ready = False
        self._tables, self._maker = ClipTables(), ChangeMaker()
        self._gaps: list[Gap] = []
        self._marks: list[Mark] = []
        self._why = ""
        self._newest: tuple[int, float] | None = None
        self._frames = self._size = self._target = 0
        self._first: ReadImage | None = None
        self._changes: list[tuple[int, int, int, bytes]] = []
        with self._writing():
            self._begin(command, time.time() if created is None else created)

    def forked(self) -> None:
        """This is a forked child: what it does to the file, even by forgetting it, goes nowhere."""
        if self._discard_part.detach() is not None and not self._file.closed:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._file.fileno(), inheritable=False)
            os.close(nowhere)

    @property
    def newest(self) -> int | None:
        """The id of the newest frame taken; None before the first."""
        return None if self._newest is None else self._newest[0]

    # --- frames -------------------------------------------------------------------------------

    def set_latched(self, rows: Iterable[LatchedRow], why: str = "not copied") -> None:
        """Set what was latched right before the next frame: at the start, and after a gap.

        Args:
            rows: As `RawFrames.latched_all` gives them; `latched_before` finds them.
            why: Why the frames of the gap are missing.
        """
        self._check_open()
        with self._writing():
            self._end_chunk()
            self._latched = {row[:3]: row[3:] for row in rows}
            self._tables.begin((*key, *value) for key, value in self._latched.items())
        self._is_ready, self._why = True, why

    def add(self, image: bytes) -> None:
        """Take the next frame, as an image of it.

        Raises:
            DamagedError: the image is broken.
            RecordingError: it is no newer frame, it leaves a gap after the one before and
                `set_latched` was not called, or the file can't be written.
            CapacityError: the frame is larger than a chunk may be.
        """
        self._check_open()
        read = read_image(image)
        frame, timestamp = read.stamp[:2]
        self._check_order(frame, timestamp)
        keyframe = self._room_for(len(image))
        with self._writing():
            if self._newest is None:
                self._write_world(read)
            elif frame > self._newest[0] + 1:
                self._write_gap(Gap(self._newest[0] + 1, frame - 1, self._why))
            if self._first is None:
                self._begin_chunk(read, keyframe)
            self._message(FRAMES, frame, timestamp, image)
            self._maker.add(read)
            self._tables.add(read)
            for key, type, payload in read.latched:
                if payload is None:
                    self._latched.pop(key, None)
                else:
                    self._latched[key] = (frame, type, payload)
            self._newest, self._is_ready = (frame, timestamp), False
            self._frames += 1
            if self._size >= self._target:
                self._end_chunk()

    def copy(
        self,
        frames: RawFrames,
        start: int,
        end: int,
        progress: Callable[[int, int], object] | None = None,
        *,
        skip_damaged: bool = False,
    ) -> int:
        """Take the frames from `start` to `end` out of a store, which may go on recording.

        Those that are gone when their turn comes become a gap. Returns how many were taken.

        Args:
            progress: Called with how many frames are done, and how many there are.
            skip_damaged: Frames that can't be read become a gap too, instead of an error.

        Raises:
            DamagedError: the store is damaged.
            RecordingError: the file can't be written.
        """
        copied, frame, why = 0, start, "evicted before it was copied"
        while frame <= end:
            try:
                image = image_of(frames, frame)
                if self.newest != frame - 1 and not self._is_ready:
                    self.set_latched(latched_before(frames, frame, image), why)
            except EvictedError:
                why, following = "evicted before it was copied", _following(frames, frame)
                if following is None:
                    break
                frame = following
                continue
            except DamagedError as error:
                if not skip_damaged:
                    raise
                why, frame = f"damaged: {error}", frame + 1
                continue
            self.add(image)
            copied, frame = copied + 1, frame + 1
            if progress is not None:
                progress(frame - start, end - start + 1)
        return copied

    def attach(self, attachment: ClipAttachment) -> None:
        """Put a file into the clip.

        Raises:
            RecordingError: its name is empty or the clip's own, or the file can't be written.
        """
        self._check_open()
        if not attachment.name or attachment.name.startswith(OWN):
            raise RecordingError(
                f"attachment {attachment.name!r}: give it a name that does not begin with {OWN!r}"
            )
        self._attach(*attachment)

    def mark(self, mark: Mark) -> None:
        """Put a mark into the clip beside those that were recorded: it names one of its frames.

        Raises:
            RecordingError: it is no mark that can be written, or there are too many.
        """
        self._check_open()
        self._marks = with_mark(self._marks, mark)

    # --- the end ------------------------------------------------------------------------------

    def finish(self) -> SavedClip:
        """Write the tables and give the file its name.

        Raises:
            RecordingError: there is no frame in it, the file can't be written, or there is one of
                that name by now. Nothing is left behind then.
        """
        self._check_open()
        if not self._frames:
            self.abort()
            raise RecordingError(f"{self.path}: there is no frame to be saved")
        with self._writing():
            self._end_chunk()
            self._write_changes()
            encode = msgspec.msgpack.encode
            self._attach(CHUNK_TABLE, encode(self._tables.chunks), MSGPACK)
            if self._tables.keys is not None:
                self._attach(KEY_TABLE, encode_keys(self._tables.keys), MSGPACK)
            self._attach(OBJECT_TABLE, encode(self._tables.objects), MSGPACK)
            placed = [self._placed(mark) for mark in self._marks]
            marks = [mark for mark in placed if self._tables.has(mark.frame)]
            if marks:
                self._attach(MARK_TABLE, encode(marks), MSGPACK)
            self._writer.finish()  # type: ignore[no-untyped-call]
            self._file.flush()
            os.fsync(self._file.fileno())
            size = self._file.tell()
            self._file.close()
            named = give_name(
                self._part, self.path, overwrite=self._overwrite, keep_older=self._keep_older
            )
        self._discard_part.detach()
        self.path = named.path
        return SavedClip(named.path, self._frames, size, tuple(self._gaps), named.older)

    def _placed(self, mark: Mark) -> Mark:
        """A mark about the whole recording is in each clip at its first frame."""
        if mark.kind != COLORS:
            return mark
        return msgspec.structs.replace(mark, frame=self._tables.chunks[0].first)

    def abort(self) -> None:
        """Take everything back: no file is left."""
        self._discard_part()

    def __enter__(self) -> "ClipWriter":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.abort()
        elif self._discard_part.alive:
            self.finish()

    # --- checks -------------------------------------------------------------------------------

    def _check_open(self) -> None:
        if not self._discard_part.alive:
            raise RecordingError(f"{self.path}: this clip is finished, or was given up")

    def _check_order(self, frame: int, timestamp: float) -> None:
        newest = self._newest
        if newest is not None and (frame <= newest[0] or timestamp < newest[1]):
            raise RecordingError(
                f"frame {frame} at {timestamp} s can't follow frame {newest[0]} at {newest[1]} s"
            )
        follows = newest is not None and frame == newest[0] + 1
        if not follows and not self._is_ready:
            raise RecordingError(
                f"frame {frame} does not follow frame {self.newest}: call set_latched()"
                " with what was latched before it"
            )

    def _room_for(self, size: int) -> bytes:
        """End the chunk if a frame of this size has no room in it; then, the next keyframe."""
        room = MOST_CHUNK - _ROOM - _MESSAGE
        if self._first is not None and self._size + size > room:
            with self._writing():
                self._end_chunk()
        if self._first is not None:
            return b""
        keyframe = msgspec.msgpack.encode([(*key, *value) for key, value in self._latched.items()])
        if len(keyframe) + size > room:
            raise CapacityError(
                f"a frame of {size} bytes, with {len(keyframe)} bytes latched: a clip's frame has"
                f" {room} at most, what is latched counted in"
            )
        return keyframe

    # --- chunks -------------------------------------------------------------------------------

    def _begin(self, command: Sequence[str], created: float) -> None:
        self._writer.start(PROFILE, library=f"playhead {version()}")
        self._metadata(ABOUT_FILE, {
            "format": f"{MAJOR}.{MINOR}",
            "playhead": version(),
            "command": json.dumps(list(command)),
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(created)),
        })  # fmt: skip
        schema = self._writer.register_schema("playhead.Frame", "playhead+json", frame_schema())
        for channel, topic in CHANNELS.items():
            registered = self._writer.register_channel(
                topic, ENCODINGS[channel], schema if channel == FRAMES else 0
            )
            assert registered == channel

    def _write_world(self, first: ReadImage) -> None:
        """Write the recording's description as metadata, for readers of other tools."""
        key: Key = (0, Kind.WORLD, 0)
        payloads = [packet.payload for packet in first.latched if packet.key == key]
        payload = (
            payloads[-1] if payloads else self._latched[key][2] if key in self._latched else None
        )
        world: dict[str, Any] = {}
        if payload is not None:
            with suppress(DamagedError):  # reported when the recording itself is read
                world = decode(payload, dict[str, Any])
        for name, own in ((ABOUT, self._about), (CONVENTIONS, {})):
            self._metadata(name, texts_of(world.get(name)) | own)

    def _write_gap(self, gap: Gap) -> None:
        self._gaps.append(gap)
        first, last, reason = gap
        self._metadata(GAP, {"first": str(first), "last": str(last), "reason": reason})

    def _metadata(self, name: str, pairs: dict[str, str]) -> None:
        clean = {_utf8(key): _utf8(value) for key, value in pairs.items() if key != CHECK}
        self._writer.add_metadata(name, {**clean, CHECK: metadata_check(name, clean)})

    def _attach(self, name: str, data: bytes, media_type: str) -> None:
        with self._writing():
            now = 0 if self._newest is None else nanoseconds(self._newest[1])
            self._writer.add_attachment(now, now, _utf8(name), _utf8(media_type), data)

    def _begin_chunk(self, first: ReadImage, keyframe: bytes) -> None:
        self._first, self._size = first, 0
        self._target = max(self._chunk_bytes, (KEYFRAME_SHARE + 1) * len(keyframe))
        self._message(LATCHED, first.stamp[0], first.stamp[1], keyframe)

    def _message(self, channel: int, frame: int, timestamp: float, data: bytes) -> None:
        at = nanoseconds(timestamp)
        self._writer.add_message(channel, at, data, at, frame & 0xFFFF_FFFF)
        self._size += _MESSAGE + len(data)

    def _end_chunk(self) -> None:
        if self._first is None or self._newest is None:
            return
        first, start = self._first.stamp[:2]
        record, offset = self._maker.finish(), self._file.tell()
        self._writer.flush()  # type: ignore[no-untyped-call]
        number = len(self._tables.chunks)
        row = ChunkRow(first, record.count, start, self._newest[1], offset)
        self._tables.end_chunk(row, record)
        data = msgspec.msgpack.encode(record)
        self._changes.append((number, first, nanoseconds(start), data))
        self._first, self._size = None, 0
        if sum(len(data) for *_, data in self._changes) >= CHANGES_BYTES:
            self._write_changes()

    def _write_changes(self) -> None:
        """Write the change records that were gathered as a chunk of their own."""
        if not self._changes:
            return
        offset = self._file.tell()
        for index, (number, first, at, data) in enumerate(self._changes):
            self._writer.add_message(CHANGES, at, data, at, first & 0xFFFF_FFFF)
            self._tables.set_changes_position(number, offset, index)
        self._writer.flush()  # type: ignore[no-untyped-call]
        self._changes = []

    # --- the file -----------------------------------------------------------------------------

    def _create(self) -> IO[bytes]:
        check_replaceable(self.path)
        if self._overwrite:
            check_folder(self.path)
        else:
            check_free(self.path, keep_older=self._keep_older, can_overwrite=True)
        try:
            return self._part.open("xb", buffering=1 << 16)
        except OSError as error:
            raise RecordingError(
                f"{self.path}: no clip can be made here: {error.strerror}: give another path"
            ) from error

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Within it an error of the file takes everything back."""
        try:
            yield
        except OSError as error:
            self.abort()
            raise RecordingError(
                f"{self.path}: the clip can't be written: {error.strerror}: make room, or give"
                " another path"
            ) from error
        except BaseException:
            # Half a frame may be written: offsets of what follows would be wrong.
            self.abort()
            raise


def with_mark(marks: list[Mark], mark: Mark) -> list[Mark]:
    """The marks of a file, and one more: without its time, which its frame has.

    Raises:
        RecordingError: it can't be written, or there are too many.
    """
    if len(marks) >= MOST_MARKS:
        raise RecordingError(f"mark {mark.name!r}: a clip takes {MOST_MARKS} that were set later")
    mark = msgspec.structs.replace(mark, time=0.0)
    encoded(mark, Mark)
    return [*marks, mark]


def nanoseconds(seconds: float) -> int:
    """A time of the timeline as MCAP has it: whole nanoseconds, from 0 to 2⁶³−1."""
    return round(min(max(seconds, 0.0), 9.2e9) * 1e9)


def _following(frames: RawFrames, frame: int) -> int | None:
    """The oldest recorded frame after one that is missing."""
    following: Callable[[int], int | None] | None = getattr(frames, "following", None)
    if following is not None:
        return following(frame)
    oldest = frames.oldest
    return None if oldest is None or oldest[0] <= frame else oldest[0]


def _utf8(text: str) -> str:
    """The text without what UTF-8 can't have: file names may hold such."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _remove(file: IO[bytes], path: Path) -> None:
    with suppress(OSError):  # its buffer does not fit on the disk
        file.close()
    path.unlink(missing_ok=True)
