"""The scene: a moment as points, lines and surfaces of a z-up world, ready to be projected."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...bus.bridges.axes import Axes
from ...playback.shown import Shown
from ...recorder.reader import Drawn
from . import palette
from .moment import Moment, Seen

Array = npt.NDArray[np.float64]

_RADII = {"m": 0.35, "cm": 35.0, "mm": 350.0, "ft": 1.2, "map unit": 16.0, "px": 8.0}
"""How large a stand-in is, by the world's unit of length."""
_CIRCLE = np.stack(
    [np.cos(np.linspace(0, 2 * np.pi, 33)), np.sin(np.linspace(0, 2 * np.pi, 33))], axis=1
)
_CORNERS = np.array([[x, y, z] for z in (-1, 1) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
BOX_FACES = np.array(
    [(4, 5, 6, 7), (3, 2, 1, 0), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
)
_DIAMOND = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], float)
_DIAMOND_EDGES = np.array(
    [(0, 2), (2, 1), (1, 3), (3, 0), (4, 0), (4, 1), (4, 2), (4, 3), (5, 0), (5, 1), (5, 2), (5, 3)]
)


class Body(NamedTuple):
    """An object that is drawn by its bones, or by a stand-in."""

    id: int
    label: str
    state: str
    color: str
    position: Array
    top: Array
    """Where its name goes."""
    ahead: Array
    """The direction that it faces, of length 1."""
    bones: Array
    """(n, 2, 3)"""
    skeleton: bool
    visible: bool
    named: bool
    """Whether somebody gave it a name, or it decides or is watched."""


class Strokes(NamedTuple):
    """Debug lines of one colour."""

    color: str
    ends: Array
    """(n, 2, 3)"""


class Face(NamedTuple):
    """A flat surface, seen from both sides."""

    color: str
    cover: float
    """0 … 1, how little shines through."""
    points: Array


class Box(NamedTuple):
    color: str
    corners: Array
    """(8, 3); see `BOX_FACES`."""


class Text(NamedTuple):
    color: str
    text: str
    position: Array
    object: int


class Ghost(NamedTuple):
    """Where the selected agent believes another object to be."""

    object: int
    label: str
    position: Array
    age: float
    """Seconds since it was perceived."""
    note: str
    truth: Array | None
    """Where it really is."""


class Scene(NamedTuple):
    """All that is in sight of a frame."""

    bodies: list[Body]
    strokes: list[Strokes]
    faces: list[Face]
    boxes: list[Box]
    texts: list[Text]
    ghosts: list[Ghost]
    radius: float
    """How large a stand-in is."""

    @property
    def points(self) -> Array:
        """What a camera should see to see all."""
        rows = [body.position for body in self.bodies if body.visible]
        rows += [stroke.ends.reshape(-1, 3) for stroke in self.strokes if len(stroke.ends) > 8]
        return np.concatenate([np.atleast_2d(row) for row in rows]) if rows else np.zeros((0, 3))

    def body(self, object: int) -> Body | None:
        return next((body for body in self.bodies if body.id == object), None)


def scene_of(
    moment: Moment, shown: Shown, selected: int = 0, hidden: frozenset[int] = frozenset()
) -> Scene:
    """The scene of a moment.

    Args:
        shown: Its focus and hidden channels decide which drawings are there.
        selected: The object whose beliefs are told.
        hidden: Objects that the person does not want to see.

    Raises:
        DamagedError: the recorded conventions are broken.
    """
    axes = Axes(moment.conventions)
    seen = [one for one in moment.objects.values() if one.packet.id not in hidden]
    types = tuple(sorted({one.packet.type for one in moment.objects.values()}))
    positions = axes.points([one.packet.position for one in seen]).reshape(-1, 3)
    turns = axes.turns(np.array([one.packet.angles for one in seen]).reshape(-1, 3))
    radius = _radius(moment, positions)
    bones = _bones(axes, moment, seen, positions, turns)
    bodies = []
    for at, one in enumerate(seen):
        if one.layout is not None and one.layout.space == "view":
            continue  # it hangs on a camera, and only who looks through that sees it
        if not np.isfinite(positions[at]).all():
            continue
        has_bones = at in bones
        lines = bones[at] if has_bones else _diamond(positions[at], turns[at], radius)
        top = positions[at].copy()
        top[2] = lines[..., 2].max() + 0.6 * radius if len(lines) else top[2] + radius
        id = one.packet.id
        told = any(key[0] == id for key in (*moment.states, *moment.watches))
        bodies.append(Body(
            id, one.name, moment.state_of(id), palette.type_color(one.packet.type, types),
            positions[at], top, turns[at][:, 0], lines, has_bones, one.packet.visible,
            told or id in moment.names,
        ))  # fmt: skip
    scene = Scene(bodies, [], [], [], [], _ghosts(axes, moment, selected), radius)
    strokes: dict[str, list[Array]] = defaultdict(list)
    for drawn in moment.drawn:
        if _is_shown(drawn, shown, moment.channels) and drawn.object not in hidden:
            _draw(axes, scene, strokes, drawn)
    scene.strokes.extend(Strokes(color, np.concatenate(ends)) for color, ends in strokes.items())
    return scene


def _radius(moment: Moment, positions: Array) -> float:
    known = _RADII.get(moment.conventions.unit)
    if known is not None:
        return known
    finite = positions[np.isfinite(positions).all(axis=1)]
    return max(float(np.ptp(finite, axis=0).max()) / 60 if len(finite) else 0.0, 0.1)


def _diamond(position: Array, turn: Array, radius: float) -> Array:
    corners = position + (_DIAMOND * radius) @ turn.T
    corners[:, 2] += radius
    edges: Array = corners[_DIAMOND_EDGES]
    return edges


def _bones(
    axes: Axes, moment: Moment, seen: list[Seen], positions: Array, turns: Array
) -> dict[int, Array]:
    """The bones of those that have joints, all of one skeleton at once."""
    groups: dict[tuple[str, tuple[int, ...], int], list[tuple[int, npt.NDArray[Any]]]]
    groups = defaultdict(list)
    for at, one in enumerate(seen):
        layout = one.layout
        if layout is None or layout.space == "view":
            continue
        field = next((name for name, note in layout.notes.items() if note.role == "joints"), "")
        joints = np.asarray(one.values.get(field, ()))
        if joints.ndim != 3 or joints.shape[1:] != (3, 4) or not len(joints):
            continue
        number = int(one.values.get("skeleton", -1))
        parents = moment.skeletons.get(f"{one.packet.type}/{number}", ())
        groups[layout.space, parents, len(joints)].append((at, joints))
    told: dict[int, Array] = {}
    for (space, parents, count), members in groups.items():
        places = [at for at, _ in members]
        joints = np.stack([matrices for _, matrices in members]).astype(np.float64)
        if space == "parent":
            joints = _accumulated(joints, parents)
        points = axes.points(joints[..., 3])
        if space != "world":
            points = positions[places][:, None] + np.einsum("nij,nkj->nki", turns[places], points)
        children = [at for at, up in enumerate(parents[:count]) if 0 <= up < count]
        lines = np.stack([points[:, [parents[at] for at in children]], points[:, children]], axis=2)
        for row, at in enumerate(places):
            told[at] = lines[row] if children else np.repeat(points[row][:, None], 2, axis=1)
    return told


def _accumulated(joints: Array, parents: tuple[int, ...]) -> Array:
    told: Array = joints.copy()
    for joint, parent in enumerate(parents[: joints.shape[1]]):
        if 0 <= parent < joint:
            told[:, joint] = told[:, parent, :, :3] @ joints[:, joint]
            told[:, joint, :, 3] += told[:, parent, :, 3]
    return told


def _ghosts(axes: Axes, moment: Moment, selected: int) -> list[Ghost]:
    told = []
    for (agent, _), trace in moment.states.items():
        if agent != selected:
            continue
        for belief in trace.beliefs:
            true = moment.objects.get(belief.object)
            told.append(Ghost(
                belief.object, moment.name_of(belief.object), axes.points(belief.position),
                moment.time - belief.seen, belief.note,
                None if true is None else axes.points(true.packet.position),
            ))  # fmt: skip
    return told


def _is_shown(drawn: Drawn, shown: Shown, channels: Mapping[int, str]) -> bool:
    if shown.focus and drawn.object not in (0, shown.focus):
        return False
    names = {name for bit, name in channels.items() if drawn.channels & bit}
    return not names or not names <= shown.hidden


def _draw(axes: Axes, scene: Scene, strokes: dict[str, list[Array]], drawn: Drawn) -> None:
    red, green, blue, alpha = int(drawn.values["color"]).to_bytes(4, "little")
    full = palette.hexed((red, green, blue))
    cover = alpha / 255
    color = palette.mixed(full, round(1 - max(cover, 0.16), 2)) if cover < 1 else full
    position = axes.points(drawn.position)
    values = drawn.values
    match drawn.kind:
        case "line":
            strokes[color].append(np.stack([position, axes.points(values["end"])])[None])
        case "lines":
            strokes[color].append(axes.points(values["segments"]).reshape(-1, 2, 3))
        case "polygon":
            points = axes.points(values["points"])
            strokes[palette.mixed(full, 0.45)].append(_closed(points))
            scene.faces.append(Face(full, min(cover, 0.25) * 0.3, points))
        case "sphere":
            radius = float(values["radius"])
            for one, other in ((0, 1), (0, 2), (1, 2)):
                ring = np.zeros((len(_CIRCLE), 3))
                ring[:, [one, other]] = _CIRCLE * radius
                strokes[color].append(_chained(ring + position))
        case "box":
            half = np.abs(axes.points(values["size"])) / 2
            corners = position + (_CORNERS * half) @ axes.turns(drawn.angles).T
            scene.boxes.append(Box(full, corners))
        case "text":
            scene.texts.append(Text(full, str(values["text"]), position, drawn.object))


def _chained(points: Array) -> Array:
    return np.stack([points[:-1], points[1:]], axis=1)


def _closed(points: Array) -> Array:
    return np.stack([points, np.roll(points, -1, axis=0)], axis=1)
