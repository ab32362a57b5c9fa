"""One recorded frame as plain figures, drawings and lines that any viewer can show.

It is decoded by the descriptions in the recording itself, so it works for every game.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...recorder.packets.draw_primitives import RecordedDrawing
from ...recorder.packets.log_lines import LogLine
from ...recorder.packets.mark import Mark
from ...recorder.packets.packet_types import Kind
from ...recorder.packets.recorded_frame import Packet
from ...recorder.packets.trace_types import AnimationFrame, AnyTrace, StateTransition, TreeTick
from ...recorder.reading.axis_conversion import Array, AxisConversion
from ...recorder.reading.frame_source import FrameSource
from ...recorder.statements.statement_messages import Picture
from ..messages.message import PlayheadTime

Color = tuple[int, int, int, int]

_MOST_NUMBERS = 4
"""A field with more numbers than that is no value to be plotted."""
_PARTS = "xyzw"
_OURS = ("world", "cursor", "timestamp")
"""Reserved labels: bridges send other things under these names."""
_COLORS: tuple[Color, ...] = (
    (90, 170, 255, 255), (255, 150, 50, 255), (120, 220, 130, 255), (230, 110, 220, 255),
    (240, 220, 80, 255), (90, 220, 220, 255), (255, 100, 100, 255), (180, 150, 255, 255),
)  # fmt: skip
"""Objects get theirs by their type."""


class Figure(NamedTuple):
    """An object of the frame. All points are right-handed, with z up."""

    id: int
    label: str
    """Its name, or type and id; unique within the frame, of letters, digits and `_`."""
    type: str
    visible: bool
    position: Array
    turn: Array
    """(3, 3)"""
    color: Color
    values: Mapping[str, float]
    """Its position and the numbers of its payload, in the game's own coordinates: parts of vectors
    as `velocity.x`."""
    joints: Array
    """(n, 3) points of the world; empty without a skeleton."""
    bones: Array
    """(m, 2, 3): from each joint's parent to the joint."""


class Stroke(NamedTuple):
    """A line through points."""

    points: Array
    """(n, 3)"""
    color: Color
    pairs: bool = False
    """True for many lines, from each even point to the next one."""
    closed: bool = False


class SolidShape(NamedTuple):
    """A box, or an ellipsoid in one."""

    position: Array
    turn: Array
    size: Array
    """Three edge lengths."""
    color: Color


class Label(NamedTuple):
    """A text at a point."""

    position: Array
    text: str
    color: Color


class StatementsView(NamedTuple):
    """A line of text: from the log, a decision or a mark."""

    text: str
    level: str
    about: str
    """The label of the figure that it is about, or nothing."""
    file: str = ""
    line: int = 0


class FrameView(NamedTuple):
    """One instant, ready to be shown."""

    now: PlayheadTime
    """The playhead's state; where all frames are exported, as if this one were shown."""
    figures: list[Figure]
    strokes: list[Stroke]
    boxes: list[SolidShape]
    spheres: list[SolidShape]
    labels: list[Label]
    watches: Mapping[str, Mapping[str, float]]
    """By the label of the object that they are about, then by name; the world is `world`."""
    log: list[StatementsView]
    decisions: list[StatementsView]
    marks: list[StatementsView]
    pictures: Mapping[str, Picture]
    """What the game's screen showed in this frame, by the camera's name."""

    @property
    def values(self) -> dict[str, dict[str, float]]:
        """All numbers by whom they are about: fields of objects and watched values."""
        values = {
            figure.label: {**figure.values, "visible": float(figure.visible)}
            for figure in self.figures
        }
        for label, watched in self.watches.items():
            values.setdefault(label, {}).update(watched)
        return values

    @property
    def tree(self) -> dict[str, dict[str, Any]]:
        """The same for JSON: parts of vectors as maps of their own, and without what is no number
        there, such as infinity."""
        return {label: _tree(numbers) for label, numbers in self.values.items()}


def frame_view(source: FrameSource, now: PlayheadTime, marks: Iterable[Mark] = ()) -> FrameView:
    """The view of the frame of an instant.

    Args:
        source: Where the frame is read.
        now: The instant; its focus and hidden channels decide which drawings are in the view.
        marks: Those of the recording.

    Raises:
        EvictedError: the frame is not in the recording.
        DamagedError, HandlerError: it can't be read.
    """
    frame = now.frame
    axes = AxisConversion(source.conventions(frame))
    recorded = source.decoded(frame)
    labels = _labels(source, frame, [packet for packet, _ in recorded])
    figures = _figures(source, frame, axes, recorded, labels)
    watches: dict[str, dict[str, float]] = {}
    for (object, name), value in source.watches(frame).items():
        watches.setdefault(_about(object, labels), {})[name] = value
    view = FrameView(
        now, figures, [], [], [], [], watches,
        [_logged(line, labels) for line in source.logs(frame)],
        [_decided(agent, trace, labels) for agent, trace in source.traces(frame)],
        [_marked(mark, labels) for mark in marks if mark.frame == frame],
        source.pictures(frame),
    )  # fmt: skip
    channels = source.channel_names(frame)
    for drawn in source.drawn(frame):
        if _shows(now, drawn, channels):
            _draw(view, axes, drawn)
    return view


def mark_view(mark: Mark, source: FrameSource) -> StatementsView:
    """A mark as a line of text.

    Raises:
        EvictedError: its frame is not in the recording.
    """
    return _marked(mark, _labels(source, mark.frame, source.objects(mark.frame)))


# --- objects ----------------------------------------------------------------------------------


def _labels(source: FrameSource, frame: int, packets: Iterable[Packet]) -> dict[int, str]:
    names = {
        object: str(value)
        for (object, kind, _), value in source.facts(frame).items()
        if kind == Kind.NAME
    }
    labels: dict[int, str] = {}
    used = {"", *_OURS}
    for packet in packets:
        label = re.sub(r"\W+", "_", names.get(packet.id) or f"{packet.type}_{packet.id}").strip("_")
        if label in used:
            label = f"{label}_{packet.id}"
        used.add(label)
        labels[packet.id] = label
    return labels


def _about(object: int, labels: Mapping[int, str]) -> str:
    return labels.get(object, f"object_{object}" if object else "world")


def _figures(
    source: FrameSource, frame: int, axes: AxisConversion,
    recorded: list[tuple[Packet, dict[str, Any]]], labels: Mapping[int, str],
) -> list[Figure]:  # fmt: skip
    if not recorded:
        return []
    positions = axes.points([packet.position for packet, _ in recorded])
    turns = axes.turns([packet.angles for packet, _ in recorded])
    types = sorted({packet.type for packet, _ in recorded})
    figures = []
    for (packet, values), position, turn in zip(recorded, positions, turns, strict=True):
        joints, parents = _joints(source, frame, axes, packet, values, position, turn)
        child = [joint for joint, parent in enumerate(parents) if 0 <= parent < len(joints)]
        bones = np.stack([joints[[parents[joint] for joint in child]], joints[child]], axis=1)
        color = _COLORS[types.index(packet.type) % len(_COLORS)]
        figures.append(Figure(
            packet.id, labels[packet.id], packet.type, packet.visible, position, turn, color,
            dict(_numbers({"position": packet.position, **values})), joints, bones,
        ))  # fmt: skip
    return figures


def _joints(
    source: FrameSource,
    frame: int,
    axes: AxisConversion,
    packet: Packet,
    values: Mapping[str, Any],
    position: Array,
    turn: Array,
) -> tuple[Array, list[int]]:
    """An object's joints as points of the world, and each one's parent."""
    layout = source.layout(frame, packet.type)
    roles = {} if layout is None else {note.role: name for name, note in layout.notes.items()}
    matrices = np.asarray(values.get(roles.get("joints", ""), ()), np.float64)
    if layout is None or matrices.ndim != 3 or matrices.shape[1:] != (3, 4) or not len(matrices):
        return np.empty((0, 3)), []
    skeleton = source.latched(
        frame, 0, Kind.SKELETON, f"{packet.type}/{int(values.get('skeleton', -1))}"
    )
    parents = [int(parent) for parent in (skeleton or {}).get("parents", ())][: len(matrices)]
    if layout.space == "parent":
        matrices = _accumulated(matrices, parents)
    points = axes.points(matrices[:, :, 3])
    if layout.space != "world":
        points = position + points @ turn.T
    return points, parents


def _accumulated(matrices: Array, parents: list[int]) -> Array:
    """Matrices that each stand in their parent's space, as ones in the model's."""
    result: Array = matrices.copy()
    for joint, parent in enumerate(parents):
        if 0 <= parent < joint:  # parents come first
            turn, position = result[parent, :, :3], result[parent, :, 3]
            result[joint] = turn @ matrices[joint]
            result[joint, :, 3] += position
    return result


def _numbers(values: Mapping[str, Any]) -> Iterable[tuple[str, float]]:
    for name, value in values.items():
        array = np.asarray(value)
        if array.dtype.kind not in "biuf" or array.size > _MOST_NUMBERS or array.ndim > 1:
            continue
        if array.ndim == 0:
            yield name, float(array)
        else:
            for part, number in zip(_PARTS, array.tolist(), strict=False):
                yield f"{name}.{part}", float(number)


def _tree(numbers: Mapping[str, float]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for name, number in sorted(numbers.items(), key=lambda item: item[0].count(".")):
        if number - number != 0.0:
            continue
        *path, last = name.split(".")
        inner = tree
        for part in path:
            inner = inner.setdefault(part, {})
            if not isinstance(inner, dict):
                break
        if isinstance(inner, dict) and not isinstance(inner.get(last), dict):
            inner[last] = number
        else:
            tree[name] = number  # `a` is a number itself, and so is `a.b`
    return tree


# --- drawings ---------------------------------------------------------------------------------


def _shows(now: PlayheadTime, drawn: RecordedDrawing, channels: Mapping[int, str]) -> bool:
    if now.focus and drawn.object not in (0, now.focus):
        return False
    names = {name for bit, name in channels.items() if drawn.channels & bit}
    return not names or not names <= now.hidden


def _draw(view: FrameView, axes: AxisConversion, drawn: RecordedDrawing) -> None:
    values, color = drawn.values, _color(int(drawn.values["color"]))
    position = axes.points(drawn.position)
    match drawn.kind:
        case "line":
            points = np.stack([position, axes.points(values["end"])])
            view.strokes.append(Stroke(points, color))
        case "lines":
            points = axes.points(values["segments"]).reshape(-1, 3)
            view.strokes.append(Stroke(points, color, pairs=True))
        case "polygon":
            view.strokes.append(Stroke(axes.points(values["points"]), color, closed=True))
        case "box":
            turn = axes.turns(drawn.angles)
            # Edges of a box: where axes are swapped, so are they, and a length has no sign.
            size = np.abs(axes.points(values["size"]))
            view.boxes.append(SolidShape(position, turn, size, color))
        case "sphere":
            size = np.full(3, 2.0 * float(values["radius"]))
            view.spheres.append(SolidShape(position, np.eye(3), size, color))
        case "text":
            view.labels.append(Label(position, str(values["text"]), color))


def _color(packed: int) -> Color:
    red, green, blue, alpha = packed.to_bytes(4, "little")
    return red, green, blue, alpha


# --- lines of text ----------------------------------------------------------------------------


def _logged(line: LogLine, labels: Mapping[int, str]) -> StatementsView:
    about = labels.get(line.object, "")
    return StatementsView(line.text, line.level, about, line.file, line.line)


def _marked(mark: Mark, labels: Mapping[int, str]) -> StatementsView:
    text = f"{mark.name}: {mark.note}" if mark.note else mark.name
    level = "error" if mark.kind in ("check", "loss") else "info"
    return StatementsView(
        f"{mark.kind}: {text}", level, labels.get(mark.object, ""), mark.file, mark.line
    )


def _decided(agent: int, trace: AnyTrace, labels: Mapping[int, str]) -> StatementsView:
    return StatementsView(_trace_text(trace), "info", labels.get(agent, ""), trace.file, trace.line)


def _trace_text(trace: AnyTrace) -> str:
    match trace:
        case StateTransition():
            also = f" (also true: {', '.join(trace.also_true)})" if trace.also_true else ""
            rejected = "".join(f"; not {one.condition}: {one.reason}" for one in trace.rejected)
            change = f"{trace.machine}: {trace.source} → {trace.target}"
            return f"{change} because {trace.won}{also}{rejected}"
        case TreeTick():
            ended = "".join(f"; node {at} ended: {why}" for at, why in trace.ended_early.items())
            statuses = " ".join(status or "–" for status in trace.statuses)
            return f"{trace.tree}: {statuses}{ended}"
        case AnimationFrame():
            clips = ", ".join(f"{clip.name} {clip.contribution:.0%}" for clip in trace.clips)
            return f"{trace.tree}: {clips}"
