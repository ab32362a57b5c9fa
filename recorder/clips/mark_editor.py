"""Adds marks to a saved clip and removes them. Everything else in the clip stays as it is.

The file itself is not changed. A new one is made beside it and takes its name when it is complete
and on the disk. A process that is killed meanwhile leaves the old clip or the new one.
"""

import os
import secrets
import shutil
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

import msgspec
from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import Attachment, AttachmentIndex, DataEnd, Footer, Statistics, SummaryOffset

from ...errors import DamagedError, EvictedError, RecordingError
from ..packets.mark import Mark
from .clip_file_index import ClipFileIndex
from .clip_format import MARK_TABLE, MSGPACK
from .clip_writer import with_mark
from .mcap_records import HEAD, MAGIC, ClipFile, parse, read_footer, read_summary

_BLOCK = 1 << 20
_DATA_END = HEAD.size + 4
_TRIES = 5
"""How often it starts again because another program changed the clip meanwhile."""

Progress = Callable[[int, int], object]


def annotate(
    path: str | os.PathLike[str],
    add: Iterable[Mark] = (),
    remove: Iterable[Mark] = (),
    progress: Progress | None = None,
) -> tuple[Mark, ...]:
    """Add marks to a clip, and remove marks that were added.

    Returns those that are in it now. Times of marks count for nothing: their frames have them. What
    others put in meanwhile stays. A mark to be taken out that is not there is no error.

    Args:
        progress: Called with how many bytes are done, and how many there are.

    Raises:
        RecordingError: the file is read-only or can't be written, or a mark can't be.
        EvictedError: a mark is of a frame that is not in the clip.
        DamagedError: the clip is damaged or cut off.
    """
    target = Path(path).resolve()
    for _ in range(_TRIES):
        file = ClipFile(target)
        try:
            _refuse_read_only(target)
            marks = _changed(_sound(file), list(add), list(remove))
            if _renewed(file, marks, progress):
                return tuple(marks)
        finally:
            file.close()
    raise RecordingError(f"{target}: another program keeps changing this clip: try again later")


def _refuse_read_only(path: Path) -> None:
    # A user who may write into the folder could replace it all the same: that is not meant.
    if not path.stat().st_mode & 0o222 or not os.access(path, os.W_OK):
        raise RecordingError(f"{path}: this clip is read-only: save it under another name")
    if not os.access(path.parent, os.W_OK):
        raise RecordingError(f"{path.parent}: this folder is read-only: save the clip elsewhere")


def _sound(file: ClipFile) -> ClipFileIndex:
    index = ClipFileIndex(file)
    if not index.damage:
        index.marks  # noqa: B018 — broken ones are found when they are read
    if index.damage:
        raise DamagedError(
            f"{file.path}: the clip is damaged ({index.damage[0].what}): rescue it with"
            " playhead clip recover, and mark what comes of it"
        )
    return index


def _changed(index: ClipFileIndex, add: list[Mark], remove: list[Mark]) -> list[Mark]:
    removed = [_timeless(mark) for mark in remove]
    marks = [mark for mark in map(_timeless, index.marks) if mark not in removed]
    for mark in add:
        if not any(row.first <= mark.frame <= row.last for row in index.chunks):
            raise EvictedError(
                f"mark {mark.name!r}: frame {mark.frame} is not in {index.file.path}"
            )
        marks = with_mark(marks, mark)
    return marks


def _timeless(mark: Mark) -> Mark:
    return msgspec.structs.replace(mark, time=0.0)


# --- the new file -------------------------------------------------------------------------------


def _renewed(file: ClipFile, marks: list[Mark], progress: Progress | None) -> bool:
    """Make the new file and give it the name; False if the old one was replaced meanwhile."""
    path, before = file.path, os.stat(file.path)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb", buffering=_BLOCK) as new:
            _write(file, new, marks, progress)
            new.flush()
            os.fsync(new.fileno())
        shutil.copymode(path, part)
        if not _is_same(before, os.stat(path)):
            return False
        part.replace(path)
        _settle(path.parent)
    except OSError as error:
        raise RecordingError(
            f"{path}: marks can't be put into it: {error.strerror}: make room, or save the clip"
            " elsewhere"
        ) from error
    finally:
        part.unlink(missing_ok=True)
    return True


def _is_same(one: os.stat_result, other: os.stat_result) -> bool:
    return all(
        getattr(one, name) == getattr(other, name)
        for name in ("st_dev", "st_ino", "st_size", "st_mtime_ns")
    )


def _settle(folder: Path) -> None:
    """Flush the folder to the disk, so that the new file keeps the name after a crash."""
    with suppress(OSError):  # not every system lets folders be opened
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class _Old(NamedTuple):
    """Where the parts of a clip are."""

    footer: Footer
    summary: list[tuple[int, bytes]]
    unchanged: int
    """The data up to here stay: all but marks at their end."""
    dropped: int | None
    """Where those marks begin, if they are to be left out."""
    replaced: bool
    """Whether there are marks that have to stay where they are: the last ones count."""
    end: int
    """Where the data end record begins."""


def _write(file: ClipFile, new: IO[bytes], marks: list[Mark], progress: Progress | None) -> None:
    old = _parts(file)
    crc, crc_read = 0, 0
    for at in range(0, old.end, _BLOCK):
        block = file.read(at, min(_BLOCK, old.end - at))
        crc_read = zlib.crc32(block, crc_read)
        block = block[: max(0, old.unchanged - at)]
        crc = zlib.crc32(block, crc)
        new.write(block)
        if progress is not None:
            progress(min(at + _BLOCK, old.end), old.end)
    data_end = parse(DataEnd, file.content(old.end, Opcode.DATA_END))
    if data_end.data_section_crc not in (0, crc_read):
        raise DamagedError(f"{file.path}: the clip is damaged: see playhead clip verify")
    # Without marks nothing is left of their having been there.
    record, index = _attachment(marks, old) if marks or old.replaced else (b"", None)
    new.write(record)
    crc = zlib.crc32(record, crc) if data_end.data_section_crc else 0
    builder = RecordBuilder()
    DataEnd(crc).write(builder)
    new.write(_built(builder))
    new.write(_summary(old, new.tell(), index))


def _parts(file: ClipFile) -> _Old:
    footer = read_footer(file)
    summary = read_summary(file, footer)
    end = footer.summary_start - _DATA_END
    file.content(end, Opcode.DATA_END)
    dropped, replaced = None, False
    for opcode, content in summary:
        if opcode == Opcode.ATTACHMENT_INDEX:
            index = parse(AttachmentIndex, content)
            # Elsewhere than at the end they stay where they are, or what is after them would move.
            if index.name == MARK_TABLE and index.offset + index.length == end:
                dropped = index.offset
            else:
                replaced |= index.name == MARK_TABLE
    return _Old(footer, summary, end if dropped is None else dropped, dropped, replaced, end)


def _attachment(marks: list[Mark], old: _Old) -> tuple[bytes, AttachmentIndex]:
    when = next(
        (parse(Statistics, content).message_end_time for opcode, content in old.summary
         if opcode == Opcode.STATISTICS),
        0,
    )  # fmt: skip
    data = msgspec.msgpack.encode(marks)
    builder = RecordBuilder()
    Attachment(when, when, MARK_TABLE, MSGPACK, data).write(builder)
    record = _built(builder)
    index = AttachmentIndex(old.unchanged, len(record), when, when, len(data), MARK_TABLE, MSGPACK)
    return record, index


def _summary(old: _Old, start: int, fresh: AttachmentIndex | None) -> bytes:
    """The summary that begins at an offset, the footer and the magic: as before, but for marks."""
    by = (fresh is not None) - (old.dropped is not None)
    groups: dict[int, list[bytes]] = {}
    for opcode, content in old.summary:
        if opcode == Opcode.ATTACHMENT_INDEX:
            if parse(AttachmentIndex, content).offset == old.dropped:
                continue
        elif opcode == Opcode.STATISTICS:
            statistics = parse(Statistics, content)
            statistics.attachment_count += by
            content = _content(statistics)
        groups.setdefault(opcode, []).append(HEAD.pack(opcode, len(content)) + content)
    if fresh is not None:
        content = _content(fresh)
        record = HEAD.pack(Opcode.ATTACHMENT_INDEX, len(content)) + content
        groups.setdefault(Opcode.ATTACHMENT_INDEX, []).append(record)
    offsets = groups.pop(Opcode.SUMMARY_OFFSET, None)
    body, spans = b"", dict[int, tuple[int, int]]()
    for opcode, records in groups.items():
        group = b"".join(records)
        spans[opcode] = (start + len(body), len(group))
        body += group
    offset_start = 0
    if offsets is not None:
        offset_start = start + len(body)
        builder = RecordBuilder()
        for record in offsets:
            group_opcode = parse(SummaryOffset, record[HEAD.size :]).group_opcode
            SummaryOffset(group_opcode, *spans.get(group_opcode, (offset_start, 0))).write(builder)
        body += _built(builder)
    head = HEAD.pack(Opcode.FOOTER, 20)
    head += start.to_bytes(8, "little") + offset_start.to_bytes(8, "little")
    crc = zlib.crc32(body + head) if old.footer.summary_crc else 0
    return body + head + crc.to_bytes(4, "little") + MAGIC


def _built(builder: RecordBuilder) -> bytes:
    built: bytes = builder.end()  # type: ignore[no-untyped-call]
    return built


def _content(record: Statistics | AttachmentIndex) -> bytes:
    builder = RecordBuilder()
    record.write(builder)
    return _built(builder)[HEAD.size :]
