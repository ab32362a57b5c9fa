"""The index of one clip file: its chunks, its tables, its metadata and attachments.

A complete file has it in its summary, which is read first. If a file has no summary, because it was
cut off or is damaged, the index is made by reading through the whole file once.
"""

from collections.abc import Iterator
from typing import NamedTuple

from mcap.opcode import Opcode
from mcap.records import AttachmentIndex, Chunk, MessageIndex, MetadataIndex

from ...errors import DamagedError
from ..packets.mark import Mark
from .chunk_change_index import ChangeMaker, ChunkChanges
from .clip_chunk_index import ClipTables, decode_chunks, decode_keys, decode_marks, decode_objects
from .clip_format import (
    ABOUT_FILE,
    CHANGES,
    CHUNK_TABLE,
    GAP,
    KEY_TABLE,
    MAJOR,
    MARK_TABLE,
    MINOR,
    OBJECT_TABLE,
    OWN,
    ChunkRow,
    ClipDamage,
    Gap,
    Key,
    ObjectTableRow,
    version_of,
)
from .frame_chunk import FrameChunk
from .frame_serialization import read_image
from .mcap_records import (
    HEAD,
    ChunkBytes,
    ClipFile,
    damage_at,
    messages,
    name_of,
    parse,
    read_attachment,
    read_footer,
    read_header,
    read_metadata,
    read_summary,
    unpack,
)


def read_version(file: ClipFile, at: int) -> list[str]:
    """Look which version of the format a clip is in; returns what is to be known of it.

    Args:
        at: Where the second record is.

    Raises:
        DamagedError: another major version.
    """
    try:
        name, pairs = read_metadata(file.content(at, Opcode.METADATA))
        if name != ABOUT_FILE:
            raise DamagedError(f"the metadata {name[:40]!r} where {ABOUT_FILE!r} should be")
        major, minor = version_of(pairs.get("format", ""))
    except DamagedError as error:
        return [
            f"which version of the format this is can't be read ({error}): it is taken for"
            f" {MAJOR}.{MINOR}"
        ]
    writer = pairs.get("playhead", "")[:40]
    if major != MAJOR:
        raise DamagedError(
            f"a clip in format {major}.{minor}, written by playhead {writer}: this playhead"
            f" reads {MAJOR}.x: use a newer one"
        )
    if minor <= MINOR:
        return []
    return [
        f"the clip is in format {major}.{minor}, written by playhead {writer}: this playhead"
        f" knows {MAJOR}.{MINOR}, and what is new in it is not shown"
    ]


DAMAGED = "damaged in the file"
"""Why frames are missing that were not left out on purpose."""


class AttachmentInfo(NamedTuple):
    """An attachment of a clip: what it is, and where."""

    name: str
    media_type: str
    bytes: int
    offset: int
    """Where its record begins in the file."""


class ClipFileIndex:
    """What a clip's file holds, and where.

    Raises:
        DamagedError: it is no clip, or one of another major version.
    """

    def __init__(self, file: ClipFile) -> None:
        self.file = file
        self.chunks: list[ChunkRow] = []
        self.attachments: dict[str, AttachmentInfo] = {}
        self.metadata: dict[str, dict[str, str]] = {}
        self.damage: list[ClipDamage] = []
        self._own: dict[str, AttachmentInfo] = {}
        self._recorded_gaps: dict[int, Gap] = {}
        self._keys: dict[Key, int] | None = None
        self._objects: list[ObjectTableRow] | None = None
        self._marks: tuple[Mark, ...] | None = None
        self._keys_read = False
        start = read_header(file)
        self.warnings = read_version(file, start)
        try:
            self._read_summary()
        except DamagedError as error:
            self._scan(start, str(error))

    # --- as it should be ------------------------------------------------------------------------

    def _read_summary(self) -> None:
        metadata = []
        for opcode, content in read_summary(self.file, read_footer(self.file)):
            if opcode == Opcode.ATTACHMENT_INDEX:
                index = parse(AttachmentIndex, content)
                self._add_attachment(
                    AttachmentInfo(index.name, index.media_type, index.data_size, index.offset)
                )
            elif opcode == Opcode.METADATA_INDEX:
                metadata.append(parse(MetadataIndex, content).offset)
        if CHUNK_TABLE not in self._own:
            raise DamagedError("there is no table of chunks")
        self.chunks = decode_chunks(self._own_data(CHUNK_TABLE), self.file.size)
        for at in metadata:
            try:
                self._read_metadata(at)
            except DamagedError as error:
                self.damage.append(damage_at(self.file, at, error))

    def _add_attachment(self, info: AttachmentInfo) -> None:
        (self._own if info.name.startswith(OWN) else self.attachments)[info.name] = info

    def _own_data(self, name: str) -> bytes:
        return self.attachment(self._own[name])

    def attachment(self, info: AttachmentInfo) -> bytes:
        """The bytes of an attachment.

        Raises:
            DamagedError: it is broken.
        """
        return read_attachment(self.file.content(info.offset, Opcode.ATTACHMENT)).data

    def _read_metadata(self, at: int) -> None:
        name, pairs = read_metadata(self.file.content(at, Opcode.METADATA))
        if name != GAP:
            self.metadata[name] = pairs
            return
        try:
            gap = Gap(int(pairs["first"]), int(pairs["last"]), pairs["reason"])
        except (KeyError, ValueError):
            raise DamagedError("the metadata of a gap do not name its frames") from None
        self._recorded_gaps[gap.first] = gap

    # --- what others read -----------------------------------------------------------------------

    @property
    def gaps(self) -> Iterator[Gap]:
        """The ranges between chunks that are not there, oldest first."""
        for before, after in zip(self.chunks, self.chunks[1:], strict=False):
            if after.first > before.last + 1:
                first, last = before.last + 1, after.first - 1
                recorded = self._recorded_gaps.get(first)
                is_same = recorded is not None and recorded.last == last
                yield recorded if recorded and is_same else Gap(first, last, DAMAGED)

    @property
    def keys(self) -> dict[Key, int] | None:
        """See `ClipTables.keys`; None also if the table is missing or broken."""
        if not self._keys_read:
            self._keys_read = True
            try:
                if KEY_TABLE in self._own:
                    self._keys = decode_keys(self._own_data(KEY_TABLE), len(self.chunks))
            except DamagedError as error:  # searching takes longer without it
                at = self._own[KEY_TABLE].offset
                self.damage.append(damage_at(self.file, at, error))
        return self._keys

    @property
    def objects(self) -> list[ObjectTableRow]:
        """The objects of the recording; none if their table is missing or broken."""
        if self._objects is None:
            self._objects = []
            try:
                if OBJECT_TABLE in self._own:
                    self._objects = decode_objects(self._own_data(OBJECT_TABLE))
            except DamagedError as error:
                at = self._own[OBJECT_TABLE].offset
                self.damage.append(damage_at(self.file, at, error))
        return self._objects

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The marks that were put into it later; none if they are broken."""
        if self._marks is None:
            self._marks = ()
            try:
                if MARK_TABLE in self._own:
                    self._marks = tuple(decode_marks(self._own_data(MARK_TABLE)))
            except DamagedError as error:
                at = self._own[MARK_TABLE].offset
                self.damage.append(damage_at(self.file, at, error))
        return self._marks

    # --- without a summary ----------------------------------------------------------------------

    def _scan(self, at: int, why: str) -> None:
        """Look through the whole file for intact chunks, and note the damaged ones."""
        file, tables = self.file, ClipTables()
        self.attachments, self.metadata, self._recorded_gaps, self._own = {}, {}, {}, {}
        self.damage = [ClipDamage(file.size, 0, why)]
        while at < file.size:
            try:
                opcode, length = file.head(at)
            except DamagedError as error:
                at = self._skip(at, file.size, error)
                continue
            behind = at + HEAD.size + length
            if opcode == Opcode.DATA_END:
                break
            try:
                self._read_record(at, opcode, tables)
                at = behind
            except DamagedError as error:
                at = self._skip(at, behind, error)
        self.chunks = tables.chunks
        self._keys, self._objects, self._keys_read = tables.keys, tables.objects, True

    def _skip(self, at: int, behind: int, what: object) -> int:
        """Note damage at an offset; returns where reading can go on."""
        file = self.file
        if behind >= file.size or not file.is_record(behind):
            # The damage may be in the record's own length.
            found = file.next_chunk(at)
            behind = file.size if found is None else found
        self.damage.append(ClipDamage(at, behind - at, str(what)))
        return behind

    def _read_record(self, at: int, opcode: int, tables: ClipTables) -> None:
        if opcode == Opcode.METADATA:
            self._read_metadata(at)
        elif opcode == Opcode.ATTACHMENT:
            read = read_attachment(self.file.content(at, Opcode.ATTACHMENT))
            # The tables can be rebuilt, the marks are nowhere else.
            if not read.name.startswith(OWN) or read.name == MARK_TABLE:
                self._add_attachment(AttachmentInfo(read.name, read.media_type, len(read.data), at))
        elif opcode == Opcode.CHUNK:
            data = unpack(parse(Chunk, self.file.content(at, Opcode.CHUNK)))
            if any(message.channel == CHANGES for message in messages(data)):
                self._read_changes(at, data, tables)
            else:
                self._read_frames(at, FrameChunk(data), tables)
        elif opcode == Opcode.MESSAGE_INDEX:
            # Of no use here, but if its length is damaged it would hide what comes after.
            parse(MessageIndex, self.file.content(at, Opcode.MESSAGE_INDEX))
        else:
            raise DamagedError(f"{name_of(opcode)} among the data")

    def _read_frames(self, at: int, chunk: FrameChunk, tables: ClipTables) -> None:
        maker, last = ChangeMaker(), tables.chunks[-1] if tables.chunks else None
        images = [read_image(image) for image in map(chunk.image, _ids(chunk))]
        times = [image.stamp[1] for image in images]
        is_behind = last is None or (chunk.first > last.last and times[0] >= last.end)
        if not is_behind or times != sorted(times):
            raise DamagedError(f"the frames from {chunk.first} on are not in order")
        if last is None or chunk.first > last.last + 1:
            tables.begin((*key, *value) for key, value in chunk.latched.items())
        for image in images:
            tables.add(image)
            maker.add(image)
        row = ChunkRow(chunk.first, chunk.count, times[0], times[-1], at)
        tables.end_chunk(row, maker.finish())

    def _read_changes(self, at: int, data: ChunkBytes, tables: ClipTables) -> None:
        numbers = {row.first: number for number, row in enumerate(tables.chunks)}
        table = messages(data)
        for index, message in enumerate(table):
            if message.channel != CHANGES:
                continue
            changes = ChunkChanges.decode(memoryview(data)[message.start : message.end])
            number = numbers.get(changes.first)
            if number is not None and tables.chunks[number].count == changes.count:
                tables.set_changes_position(number, at, index)


def _ids(chunk: FrameChunk) -> range:
    return range(chunk.first, chunk.first + chunk.count)
