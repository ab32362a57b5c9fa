"""The summary that a file must end with, worked out from its data."""

from mcap.opcode import Opcode
from mcap.records import (
    Attachment,
    AttachmentIndex,
    Channel,
    Chunk,
    ChunkIndex,
    McapRecord,
    MessageIndex,
    Metadata,
    MetadataIndex,
    Schema,
    Statistics,
    SummaryOffset,
)

from ...errors import DamagedError
from .clip_format import CHANNELS, ENCODINGS
from .mcap_records import HEAD, name_of, parse


class McapSummary:
    """Gathers the content that a file's summary must have."""

    def __init__(self) -> None:
        self.statistics = Statistics(0, 0, {}, 0, 0, 0, 0, 0, 0)
        self._schemas: list[McapRecord] = []
        self._channels: list[McapRecord] = []
        self._chunks: list[McapRecord] = []
        self._attachments: list[McapRecord] = []
        self._metadata: list[McapRecord] = []

    def declared(self, opcode: int, content: bytes) -> None:
        """A record in a chunk."""
        if opcode == Opcode.SCHEMA:
            self._schemas.append(parse(Schema, content))
            self.statistics.schema_count += 1
        elif opcode == Opcode.CHANNEL:
            channel = parse(Channel, content)
            self._channels.append(channel)
            self.statistics.channel_count += 1
            statistics = CHANNELS.get(channel.id), ENCODINGS.get(channel.id)
            if channel.id in CHANNELS and statistics != (channel.topic, channel.message_encoding):
                raise DamagedError(f"channel {channel.id} is {channel.topic[:40]!r}")
        elif opcode != Opcode.MESSAGE:
            raise DamagedError(f"{name_of(opcode)} in a chunk")

    def chunk(self, at: int, length: int, chunk: Chunk, indexes: dict[int, MessageIndex]) -> None:
        statistics = self.statistics
        count = sum(len(index.records) for index in indexes.values())
        starts = [chunk.message_start_time] + [statistics.message_start_time] * bool(
            statistics.message_count
        )
        statistics.message_start_time = min(starts)
        statistics.message_end_time = max(statistics.message_end_time, chunk.message_end_time)
        statistics.message_count += count
        statistics.chunk_count += 1
        for channel, index in indexes.items():
            before = statistics.channel_message_counts.get(channel, 0)
            statistics.channel_message_counts[channel] = before + len(index.records)
        self._chunks.append(
            ChunkIndex(
                HEAD.size + length,
                at,
                chunk.compression,
                len(chunk.data),
                chunk.message_end_time,
                0,
                {},
                chunk.message_start_time,
                chunk.uncompressed_size,
            )
        )

    def message_index(self, at: int, length: int, channel: int) -> None:
        if self._chunks:
            index = self._chunks[-1]
            assert isinstance(index, ChunkIndex)
            index.message_index_offsets[channel] = at
            index.message_index_length += HEAD.size + length

    def attachment(self, at: int, length: int, read: Attachment) -> None:
        self.statistics.attachment_count += 1
        self._attachments.append(
            AttachmentIndex(
                at,
                HEAD.size + length,
                read.log_time,
                read.create_time,
                len(read.data),
                read.name,
                read.media_type,
            )
        )

    def metadata(self, at: int, length: int, read: Metadata) -> None:
        self.statistics.metadata_count += 1
        self._metadata.append(MetadataIndex(at, HEAD.size + length, read.name))

    def compare(self, records: list[tuple[int, bytes]], at: int, offsets_at: int) -> None:
        """Compare with the summary that begins at an offset.

        Raises:
            DamagedError: they differ.
        """
        groups = {
            Opcode.SCHEMA: self._schemas,
            Opcode.CHANNEL: self._channels,
            Opcode.STATISTICS: [self.statistics],
            Opcode.CHUNK_INDEX: self._chunks,
            Opcode.ATTACHMENT_INDEX: self._attachments,
            Opcode.METADATA_INDEX: self._metadata,
        }
        kinds: dict[int, type[McapRecord]] = {
            Opcode.SCHEMA: Schema, Opcode.CHANNEL: Channel, Opcode.STATISTICS: Statistics,
            Opcode.CHUNK_INDEX: ChunkIndex, Opcode.ATTACHMENT_INDEX: AttachmentIndex,
            Opcode.METADATA_INDEX: MetadataIndex, Opcode.SUMMARY_OFFSET: SummaryOffset,
        }  # fmt: skip
        found: dict[int, list[McapRecord]] = {opcode: [] for opcode in kinds}
        spans: dict[int, list[int]] = {}
        for opcode, content in records:
            if opcode not in kinds:
                raise DamagedError(f"{name_of(opcode)} in the summary")
            found[opcode].append(parse(kinds[opcode], content))
            if opcode == Opcode.SUMMARY_OFFSET:
                if len(found[opcode]) == 1 and at != offsets_at:
                    raise DamagedError("the summary's offsets are not where the footer puts them")
            else:
                spans.setdefault(opcode, [at, at])[1] = at + HEAD.size + len(content)
            at += HEAD.size + len(content)
        for opcode, expected in groups.items():
            if found[opcode] != expected:
                raise DamagedError(f"the summary's records of {opcode.name.lower()} are not right")
        for offset in found[Opcode.SUMMARY_OFFSET]:
            assert isinstance(offset, SummaryOffset)
            start, end = spans.get(offset.group_opcode, (offset.group_start, offset.group_start))
            if (offset.group_start, offset.group_length) != (start, end - start):
                raise DamagedError(f"the summary's offset of group {offset.group_opcode} is wrong")
