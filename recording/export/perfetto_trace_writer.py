"""Writes events as Perfetto's own trace packets, by the schema of the package `perfetto`."""

from pathlib import Path
from typing import Any

from ...errors import RecordingError
from ...installation import install_line
from .trace_events import INT64, STEP, Instant, Process, Sample, Slice, TraceEvent

_SEQUENCE = 1
"""All packets are of one sequence: what one program wrote."""
_NOTHING: tuple[Any, ...] = (None, "", [], {})
"""Details that say nothing."""


class PerfettoTraceWriter:
    """A trace file; a context manager. Times are nanoseconds.

    The game and each object are a process, whose tracks are below it. A slice is two packets, and a
    track's own packet comes before all that are on it.

    Args:
        start: The first time that can come, seconds. The format has no times before 0: if this one
            is, all are counted from it.

    Raises:
        RecordingError: the package is not installed.
    """

    def __init__(self, path: Path, start: float) -> None:
        try:
            from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema
            from perfetto.trace_builder.proto_builder import StreamingTraceProtoBuilder
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in ("perfetto", "google"):
                raise
            raise RecordingError(
                f"a trace of Perfetto's own needs its package: {install_line('perfetto')}; a file"
                " that ends in .json, which Perfetto opens too, needs nothing"
            ) from None
        self._schema = schema
        self._zero = min(start, 0.0)
        self._file = path.open("wb")
        self._builder = StreamingTraceProtoBuilder(self._file)
        self._is_first = True
        self._tracks: dict[tuple[int, str, bool], int] = {}
        """The number of each track, by its object, its name, and whether it is a curve."""

    def write(self, event: TraceEvent) -> None:
        """Add an event."""
        kinds = self._schema.TrackEvent
        match event:
            case Slice(process, track, name, start, end, details):
                number = self._track(process, track)
                self._event(kinds.TYPE_SLICE_BEGIN, number, start, name, details)
                self._event(kinds.TYPE_SLICE_END, number, end)
            case Instant(process, track, name, time, details):
                number = self._track(process, track)
                self._event(kinds.TYPE_INSTANT, number, time, name, details)
            case Sample(process, name, time, value):
                packet = self._event(None, self._track(process, name, is_curve=True), time)
                packet.track_event.type = kinds.TYPE_COUNTER
                packet.track_event.double_counter_value = value
                self._builder.write_packet(packet)

    def __enter__(self) -> "PerfettoTraceWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    # --- packets ----------------------------------------------------------------------------------

    def _event(
        self, kind: int | None, track: int, time: float, name: str = "",
        details: dict[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        """Write an event; without a kind it is left to the caller to finish and to write."""
        packet = self._packet()
        packet.timestamp = round((time - self._zero) * 1e9)
        event = packet.track_event
        event.track_uuid = track
        if name:
            event.name = _text(name)
        for key, value in (details or {}).items():
            if value not in _NOTHING:
                _annotate(event.debug_annotations.add(name=_text(key)), value)
        if kind is not None:
            event.type = kind
            self._builder.write_packet(packet)
        return packet

    def _track(self, process: Process, name: str, *, is_curve: bool = False) -> int:
        """The number of a track of a process, which both are described before."""
        parent = self._tracks.get((process.object, "", False))
        if parent is None:
            parent = self._add_track((process.object, "", False), _text(process.name), None)
        key = process.object, name, is_curve
        return self._tracks[key] if key in self._tracks else self._add_track(key, name, parent)

    def _add_track(self, key: tuple[int, str, bool], name: str, parent: int | None) -> int:
        number = self._tracks[key] = 1 + len(self._tracks)
        packet = self._packet()
        track = packet.track_descriptor
        track.uuid = number
        if parent is None:
            track.process.pid = number  # an object's id may be too large for one
            track.process.process_name = name
        else:
            track.parent_uuid, track.name = parent, _text(name)
        if key[2]:
            track.counter.unit_name = "ms" if name == STEP else ""
        self._builder.write_packet(packet)
        return number

    def _packet(self) -> Any:
        packet = self._builder.create_packet()
        packet.trusted_packet_sequence_id = _SEQUENCE
        if self._is_first:
            packet.sequence_flags = self._schema.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
            self._is_first = False
        return packet


def _annotate(annotation: Any, value: Any) -> None:
    """Give an annotation a value: a plain one, or a text of what it is."""
    if isinstance(value, bool):
        annotation.bool_value = value
    elif isinstance(value, int) and value in INT64:
        annotation.int_value = value
    elif isinstance(value, float):
        annotation.double_value = value
    elif isinstance(value, dict):
        for key, one in value.items():
            _annotate(annotation.dict_entries.add(name=_text(key)), one)
    elif isinstance(value, list | tuple):
        for one in value:
            _annotate(annotation.array_values.add(), one)
    else:
        annotation.string_value = "" if value is None else _text(value)


def _text(value: Any) -> str:
    """A text that can be encoded."""
    return str(value).encode("utf-8", "replace").decode("utf-8")
