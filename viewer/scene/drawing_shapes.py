"""The shapes of a scene: a frame's debug drawings as lines, surfaces, boxes and texts.

Thousands of lines are one array; another one says which drawing each came from.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...playback.playback_state import PlaybackState
from ...recorder.packets.packet_types import PacketType
from ...recorder.reading.axis_conversion import AxisConversion
from ..toolkit import palette
from .drawing_columns import DrawingBlock

Array = npt.NDArray[np.float64]
Indexes = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]
BODY_CHANNEL = "shapes"
"""The channel of drawings that are what a body itself looks like: a physics engine's shapes."""
_BODY_COVER = 0.7
"""How little shines through such a surface."""
Source = tuple[int, int]
"""Which drawing something came from: the number of its block, and its index in that."""

_CORNERS = np.array([[x, y, z] for z in (-1, 1) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
BOX_FACES = np.array(
    [(4, 5, 6, 7), (3, 2, 1, 0), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
)
"""The corners of each side, and which way round they go."""


class ShapeFace(NamedTuple):
    """A flat surface, seen from both sides."""

    color: str
    cover: float
    """0 … 1, how little shines through."""
    points: Array
    source: Source


class ShapeText(NamedTuple):
    color: str
    text: str
    position: Array
    object: int
    source: Source


class Shapes(NamedTuple):
    """All drawings that are shown."""

    ends: Array
    """(n, 2, 3) lines, outlines and the rings of spheres among them."""
    looks: Indexes
    """(n,) indexes into `colors`."""
    colors: list[str]
    sources: Indexes
    """(n, 2) as `Source`."""
    boxes: Array
    """(b, 8, 3) corners; see `BOX_FACES`."""
    box_colors: list[str]
    box_sources: list[Source]
    box_solid: Flags
    """(b,) those of the world whose colour is opaque: walls and crates. The others are glass, or a
    box round an object would hide it."""
    faces: list[ShapeFace]
    texts: list[ShapeText]
    outlined: frozenset[int]
    """Objects whose own outlines are drawn, as those of a physics engine are."""


class _Strokes:
    """Lines of many drawings, gathered."""

    def __init__(self) -> None:
        self._ends: list[Array] = [np.empty((0, 2, 3))]
        self._looks: list[Indexes] = [np.empty(0, np.intp)]
        self._sources: list[Indexes] = [np.empty((0, 2), np.intp)]
        self.colors: dict[str, int] = {}

    def add(self, ends: Array, colors: npt.NDArray[np.intp], block: int, rows: Indexes) -> None:
        """Take in (k, m, 2, 3) lines of k drawings of a block, with k colours' numbers."""
        count = ends.shape[1]
        self._ends.append(ends.reshape(-1, 2, 3))
        self._looks.append(np.repeat(colors, count))
        sources = np.stack([np.full(len(rows), block), rows], axis=1)
        self._sources.append(np.repeat(sources, count, axis=0))

    def number(self, color: str) -> int:
        """A colour's number."""
        return self.colors.setdefault(color, len(self.colors))

    def numbers(self, packed: npt.NDArray[np.uint32]) -> npt.NDArray[np.intp]:
        """The numbers of colours that are given as red, green, blue and cover."""
        found, inverse = np.unique(packed, return_inverse=True)
        numbers = [self.number(_opaque(*_parts(value))) for value in found.tolist()]
        result: npt.NDArray[np.intp] = np.array(numbers, np.intp)[inverse]
        return result

    def lines(self) -> tuple[Array, Indexes, list[str], Indexes]:
        return (
            np.concatenate(self._ends), np.concatenate(self._looks), list(self.colors),
            np.concatenate(self._sources),
        )  # fmt: skip


def shapes_of(
    axes: AxisConversion,
    blocks: Sequence[DrawingBlock],
    state: PlaybackState,
    channels: Mapping[int, str],
    hidden: frozenset[int],
) -> Shapes:
    """The drawings of a frame that are to be seen.

    Args:
        axes: The game's.
        state: Its focus and hidden channels decide which are there.
        channels: Their names by bit.
        hidden: Objects whose drawings are not shown.
    """
    strokes = _Strokes()
    boxes: list[Array] = [np.empty((0, 8, 3))]
    box_colors: list[str] = []
    box_sources: list[Source] = []
    box_solid: list[Flags] = [np.empty(0, np.bool_)]
    faces: list[ShapeFace] = []
    texts: list[ShapeText] = []
    outlined: set[int] = set()
    bodies = sum(bit for bit, name in channels.items() if name == BODY_CHANNEL)
    for number, block in enumerate(blocks):
        rows = _seen(block, state, channels, hidden)
        if not len(rows):
            continue
        positions = axes.points(block.positions[rows])
        packed = block.fields["color"][rows]
        is_body = (block.channels[rows] & bodies != 0) & (block.objects[rows] != 0)
        outlined.update(block.objects[rows][is_body].tolist())
        match block.kind:
            case PacketType.LINE:
                ends = np.stack([positions, axes.points(block.fields["end"][rows])], axis=1)
                strokes.add(ends[:, None], strokes.numbers(packed), number, rows)
            case PacketType.LINES:
                ends = axes.points(block.tail[rows])
                strokes.add(ends, strokes.numbers(packed), number, rows)
            case PacketType.SPHERE:
                radii = block.fields["radius"][rows].astype(np.float64)[:, None, None, None]
                rings = positions[:, None, None] + _RINGS * radii
                strokes.add(rings, strokes.numbers(packed), number, rows)
            case PacketType.POLYGON:
                points = axes.points(block.tail[rows])
                outlines = np.stack([points, np.roll(points, -1, axis=1)], axis=2)
                full = [_parts(value) for value in packed.tolist()]
                looks = [
                    strokes.number(name if own else palette.mixed(name, 0.45))
                    for (name, _), own in zip(full, is_body.tolist(), strict=True)
                ]
                strokes.add(outlines, np.array(looks, np.intp), number, rows)
                faces += [
                    ShapeFace(
                        name, cover * _BODY_COVER if own else min(cover, 0.25) * 0.3, corners,
                        (number, at),
                    )
                    for (name, cover), corners, at, own in zip(
                        full, points, rows.tolist(), is_body.tolist(), strict=True
                    )
                ]  # fmt: skip
            case PacketType.BOX:
                half = np.abs(axes.points(block.fields["size"][rows])) / 2
                turns = axes.turns(block.angles[rows])
                local = _CORNERS * half[:, None]
                boxes.append(positions[:, None] + np.einsum("nij,nkj->nki", turns, local))
                box_colors += [_parts(value)[0] for value in packed.tolist()]
                box_sources += [(number, at) for at in rows.tolist()]
                box_solid.append((block.objects[rows] == 0) & (packed >> 24 == 255))
            case PacketType.TEXT:
                for text_position, at, value in zip(
                    positions, rows.tolist(), packed.tolist(), strict=True
                ):
                    text = block.tail[at].tobytes().decode("utf-8", errors="replace")
                    owner = int(block.objects[at])
                    texts.append(
                        ShapeText(_parts(value)[0], text, text_position, owner, (number, at))
                    )
    return Shapes(
        *strokes.lines(), np.concatenate(boxes), box_colors, box_sources,
        np.concatenate(box_solid), faces, texts, frozenset(outlined),
    )  # fmt: skip


def _seen(
    block: DrawingBlock, state: PlaybackState, channels: Mapping[int, str], hidden: frozenset[int]
) -> Indexes:
    """Which of a block's drawings are shown."""
    visible = np.ones(len(block), np.bool_)
    if state.focus:
        visible &= (block.objects == 0) | (block.objects == state.focus)
    if hidden:
        visible &= ~np.isin(block.objects, list(hidden))
    off = sum(bit for bit, name in channels.items() if name in state.hidden)
    if off:
        # One that is of several channels is hidden when all that have names are.
        named = block.channels & sum(channels)
        visible &= (named == 0) | (named & ~off != 0)
    return np.flatnonzero(visible)


def _parts(packed: int) -> tuple[str, float]:
    """A colour without its cover, and that, 0 … 1."""
    red, green, blue, alpha = packed.to_bytes(4, "little")
    return palette.on_sky(palette.hex_color((red, green, blue))), alpha / 255


def _opaque(name: str, cover: float) -> str:
    return palette.mixed(name, round(1 - max(cover, 0.16), 2)) if cover < 1 else name


def _rings() -> Array:
    """A sphere's three rings as (96, 2, 3) lines."""
    turn = np.linspace(0, 2 * np.pi, 33)
    rings = np.zeros((3, 33, 3))
    for ring, (one, other) in zip(rings, ((0, 1), (0, 2), (1, 2)), strict=True):
        ring[:, one], ring[:, other] = np.cos(turn), np.sin(turn)
    return np.stack([rings[:, :-1], rings[:, 1:]], axis=2).reshape(-1, 2, 3)


_RINGS = _rings()
