"""All that a file answers, as plain values: what is laid beside the answers of another version."""

import math
from typing import Any

import msgspec
import numpy as np

from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.reading.frame_source import FrameSource


def plain(value: Any) -> Any:
    """The same as JSON can hold it: bytes in hexadecimal, structs with all of their fields."""
    if isinstance(value, msgspec.Struct):
        return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "mM":
        return value.astype(np.int64).tolist()
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, complex):
        return plain([value.real, value.imag])
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def struct(value: Any) -> Any:
    """A struct's fields by name, without those that have their defaults."""
    return plain(msgspec.to_builtins(value))


def answers(source: FrameSource) -> dict[str, Any]:
    """What a source says of each of its frames."""
    span = source.span
    assert span is not None
    frames = range(span.oldest, span.newest + 1)
    return {
        "span": list(span),
        "marks": [struct(mark) for mark in source.marks()],
        "frames": {str(frame): _at(source, frame) for frame in frames},
    }


def _at(source: FrameSource, frame: int) -> dict[str, Any]:
    stamp, facts = source.stamp(frame), source.facts(frame)
    return {
        "time": stamp.time,
        "packets": [plain(tuple(packet)) for packet in source.packets(frame)],
        "objects": [[packet.id, plain(values)] for packet, values in source.decoded(frame)],
        "facts": sorted(
            [object, int(kind), key]
            for object, kind, key in facts
            if kind not in (Kind.TYPE, Kind.CHANNEL)
        ),
        "names": plain(source.names(frame)),
        "about": plain(source.about(frame)),
        "drawn": [plain(tuple(one)) for one in source.drawn(frame)],
        "watches": sorted([*key, value] for key, value in source.watches(frame).items()),
        "logs": [struct(line) for line in source.logs(frame)],
        "traces": [[agent, struct(trace)] for agent, trace in source.traces(frame)],
        "trees": {
            str(agent): [struct(node) for node in source.tree(frame, agent, "tree")]
            for agent in (1, 2)
        },
        "machines": plain(source.machines(frame)),
    }
