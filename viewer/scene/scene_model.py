"""The scene: a snapshot as bodies and drawings of a z-up world, ready to be projected."""

import math
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from ...playback.playback_state import PlaybackState
from ...recorder.packets.draw_primitives import RecordedDrawing
from ...recorder.reading.axis_conversion import AxisConversion
from ...recorder.world_adapter import Conventions
from ..reader.frame_snapshot import FrameSnapshot
from ..reader.placed_and_turned_types import ObservedPoses
from ..state.agent_beliefs import CurrentBelief
from ..toolkit import palette
from .drawing_shapes import Shapes, shapes_of
from .object_columns import ObjectGroup
from .skeleton_figures import Indexes, SkeletonFigures, stand_ins
from .view_camera import CameraEye

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_RADII = {"m": 0.35, "cm": 35.0, "mm": 350.0, "ft": 1.2, "map unit": 16.0, "px": 8.0}
"""The size of a placeholder body, by the world's unit of length."""
_SHARE = 60
"""Placeholders are at least this share of the extent, so that they are seen in any unit."""
_STRAYS = 20
"""The number of bodies from which a few far ones don't count for the extent."""


class SceneBody(NamedTuple):
    """One object that is drawn by its bones, or by a placeholder."""

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
    """Whether it has a given name, decides, or is watched."""


class BeliefGhost(NamedTuple):
    """Where the selected agent believes another object to be."""

    object: int
    label: str
    position: Array
    age: float
    """Seconds since it was perceived."""
    note: str
    truth: Array | None
    """Where it really is."""


_VAST = 5.0
"""Times the extent of all bodies: what is drawn farther around need not be seen at first."""
_LONGEST_ROW = 12
"""Objects without a position that stand in one row."""
_PLACES = frozenset(("position", "x", "rect", "fov"))
"""Fields that say where something is; a camera without a position is one at the origin."""
_MOVING = ("position", "velocity")
"""Roles of fields in the game's axes."""


class SceneModel:
    """All that is in sight of a frame; bodies are rows of the same columns.

    Args:
        moment: The frame.
        shown: Its focus and hidden channels decide which drawings are there.
        hidden: Objects that the user does not want to see.
        plane: Whether the game is played in the plane of its x and y (see `is_flat`): then that is
            the ground, and `y` or `-y` as the axis that points up says which way y points in the
            image.
        extent: How far what there is reached in another frame, so that bodies keep their size from
            frame to frame; None for as far as it does here.

    Raises:
        DamagedError: the recorded conventions are broken.
    """

    def __init__(
        self, snapshot: FrameSnapshot, playback: PlaybackState,
        hidden: frozenset[int] = frozenset(), *,
        plane: bool = False, extent: float | None = None,
    ) -> None:  # fmt: skip
        self.snapshot = snapshot
        conventions = in_plane(snapshot.conventions) if plane else snapshot.conventions
        self._axes = axes = _axes_of(conventions)
        self.eyes: list[CameraEye] = []
        """The game's own cameras, in recording order."""
        self.nowhere: list[int] = []
        """Objects whose position is not finite: they are recorded, and can't be shown."""
        types = snapshot.objects.types
        self.colors = [palette.type_color(type, types) for type in types]
        shown_groups: list[tuple[ObjectGroup, Indexes]] = []
        columns: list[tuple[Array, Array, Flags, Indexes, Indexes, Flags]] = []
        groups, first = snapshot.objects.groups, 0
        # All at once: many small products of matrices cost more than one large one.
        every = axes.points(_stacked([group.positions for group in groups], (0, 3)))
        turned = axes.turns(_stacked([group.angles for group in groups], (0, 3)))
        poses = snapshot.observed_poses
        unplaced = _stacked(
            [np.full(len(group), _has_no_position(group, poses)) for group in groups], (0,)
        ).astype(np.bool_)
        self.unplaced = int(unplaced.sum())
        """How many objects have no recorded position: beside others they are left out, alone they
        stand side by side."""
        self.has_places = self.unplaced < len(unplaced) or not len(unplaced)
        """Whether there are others."""
        if not self.has_places:
            every[unplaced] = _side_by_side(self.unplaced, 3 * self._usual_radius())
        finite: Flags = np.logical_and.reduce(np.isfinite(every), axis=1)
        for group in groups:
            mine = slice(first, first + len(group))
            first += len(group)
            positions, turns = every[mine], turned[mine]
            self._look_for_eyes(group, positions, turns)
            if group.layout.space == "view":
                continue  # it hangs on a camera, and only who looks through that sees it
            ids = np.array(group.ids, np.int64)
            self.nowhere += ids[~finite[mine] & ~_among(ids, hidden)].tolist()
            is_there = ~unplaced[mine] if self.has_places else np.ones(len(group), np.bool_)
            rows = np.flatnonzero(is_there & finite[mine] & ~_among(ids, hidden))
            if len(rows):
                look = np.full(len(rows), types.index(group.type))
                visible = group.visible[rows]
                turnable = self._joints(group) is not None or group.type in poses.turned
                faces = np.full(len(rows), turnable)
                columns.append((positions[rows], turns[rows], visible, ids[rows], look, faces))
                shown_groups.append((group, rows))
        self.positions: Array = _stacked([one[0] for one in columns], (0, 3))
        """(n, 3)"""
        self.turns: Array = _stacked([one[1] for one in columns], (0, 3, 3))
        """(n, 3, 3); what is ahead is each one's first column."""
        self.visible: Flags = _stacked([one[2] for one in columns], (0,)).astype(np.bool_)
        self.ids: npt.NDArray[np.int64] = _stacked([one[3] for one in columns], (0,)).astype(
            np.int64
        )
        self.looks: Indexes = _stacked([one[4] for one in columns], (0,)).astype(np.intp)
        """(n,) indexes into `colors`."""
        self.half_sizes: Array = _stacked(
            [
                group.half_sizes[rows] if plane else np.full((len(rows), 2), np.nan)
                for group, rows in shown_groups
            ],
            (0, 2),
        )
        """(n, 2) half the width and height of each in the plane; NaN where none is recorded."""
        self.faces: Flags = _stacked([one[5] for one in columns], (0,)).astype(np.bool_)
        """(n,) whether each faces anywhere: skeletons do, sprites without angles do not."""
        self.shapes: Shapes = shapes_of(
            axes, snapshot.drawings, playback, snapshot.channels, hidden
        )
        self.has_skeletons = any(self._joints(group) is not None for group, _ in shown_groups)
        self.extent = 0.0 if self.has_skeletons else _extent(self.points)
        """The extent of all objects, in the world's unit; 0 where skeletons show how large
        things are."""
        self.radius = self._radius(self.extent if extent is None else extent)
        """The size of a placeholder."""
        self.figures = self._made_figures(shown_groups)
        self._shown_groups = shown_groups

    def ghosts(self, beliefs: Sequence[CurrentBelief]) -> list[BeliefGhost]:
        """Where believed positions are in this scene, beside the true ones."""
        return [
            BeliefGhost(
                one.object, one.label, self._axes.points(one.position), one.age, one.note,
                None if true is None else self._axes.points(true.packet.position),
            )
            for one in beliefs
            for true in (self.snapshot.objects.get(one.object),)
        ]  # fmt: skip

    def unplaced_text(self) -> str:
        """Which objects are not shown since their position is no number; empty if none."""
        seen = [self.snapshot.objects.get(object) for object in self.nowhere[:1]]
        if not seen or seen[0] is None:
            return ""
        coordinates = ", ".join(f"{part:g}" for part in seen[0].packet.position)
        others = f", as are {len(self.nowhere) - 1} others" if len(self.nowhere) > 1 else ""
        return (
            f"{seen[0].name} is at ({coordinates}), which is no position: it is not shown{others}"
        )

    def is_flat(self) -> bool:
        """Whether all of it lies in the plane of the game's x and y, as in a game that has but two
        dimensions. A single position says nothing, unless the unit is the pixel or what is there
        is recorded with two coordinates."""
        packets = [group for group in self.snapshot.objects.groups if group.column("fov") is None]
        if self.has_skeletons or not packets:
            return False
        game = np.concatenate([group.positions for group in packets])
        turned = np.concatenate([group.angles for group in packets])
        game = game[np.isfinite(game).all(axis=1)]
        if not len(game):
            return False
        wide, high, deep = np.ptp(game, axis=0).tolist()
        extent = max(wide, high)
        pixels = self.snapshot.conventions.unit == "px"
        if deep > 1e-6 * extent:
            return False
        if not (extent or pixels) and (game[0, 2] or not all(map(_is_in_plane, packets))):
            return False
        if pixels:
            return True
        tilting = [at for at, axis in enumerate(self.snapshot.conventions.angles) if axis != "z"]
        if np.nan_to_num(turned[:, tilting]).any():
            return False
        # Lines and boxes are of the scene: the axis that is flat in the game is one of its own.
        depth = self._axes.points([0.0, 0.0, 1.0])
        drawn = np.concatenate([self.shapes.ends.reshape(-1, 3), self.shapes.boxes.reshape(-1, 3)])
        return not len(drawn) or float(np.ptp(drawn @ depth)) <= 1e-3 * extent

    # --- bodies ---------------------------------------------------------------------------------

    @property
    def points(self) -> Array:
        """What a camera should see to see all."""
        bodies = self.positions[self.visible]
        if len(self.shapes.ends) <= 8:
            return bodies
        ends = self.shapes.ends.reshape(-1, 3)
        if len(bodies) > 1:
            # A floor that is drawn far around would make the bodies on it specks.
            low, high = bodies.min(axis=0), bodies.max(axis=0)
            extent = max(float((high - low).max()), 4 * self._usual_radius())
            if float(np.ptp(ends, axis=0).max()) > _VAST * extent:
                near = ((ends >= low - extent) & (ends <= high + extent)).all(axis=1)
                ends = ends[near]
        return np.concatenate([bodies, ends])

    @cached_property
    def _rows(self) -> dict[int, int]:
        return {id: at for at, id in enumerate(self.ids.tolist())}

    @cached_property
    def named(self) -> frozenset[int]:
        """The objects that have a name, decide, or are watched."""
        snapshot = self.snapshot
        agents = {agent for agent, _ in snapshot.states} | {agent for agent, _ in snapshot.watches}
        return frozenset(agents | snapshot.names.keys())

    def row(self, object: int) -> int | None:
        """An object's index in the columns; None if it is not in the scene."""
        return self._rows.get(object)

    def label(self, object: int) -> str:
        return self.snapshot.name_of(object)

    def color(self, row: int) -> str:
        return self.colors[int(self.looks[row])]

    @cached_property
    def state_looks(self) -> tuple[Indexes, tuple[str, ...]]:
        """Whose state is known has that one's colour, the others their type's.

        (n,) indexes into the colours, and these.
        """
        known = {name: at for at, name in enumerate(dict.fromkeys(self.colors))}
        color_indexes = np.array([known[name] for name in self.colors], np.intp)[self.looks]

        def number(state: str) -> int:
            return known.setdefault(palette.state_color(state), len(known))

        first = 0
        for group, rows in self._shown_groups:
            mine = color_indexes[first : first + len(rows)]
            first += len(rows)
            if group.states is not None:
                names = group.state_names
                numbers = {name: number(name) if name else -1 for name in dict.fromkeys(names)}
                agents = np.array([numbers[name] for name in names], np.intp)[rows]
                np.copyto(mine, agents, where=agents >= 0)
        for agent, state in self.snapshot.traced.items():
            row = self.row(agent)
            if row is not None and state:
                color_indexes[row] = number(state)
        return color_indexes, tuple(known)

    def figure_of(self, row: int) -> tuple[SkeletonFigures, int]:
        """The figures that a body is drawn with, and its row among them."""
        for figures in self.figures:
            at = int(np.searchsorted(figures.scene_rows, row))
            if at < len(figures.scene_rows) and figures.scene_rows[at] == row:
                return figures, at
        raise IndexError(f"row {row}: there are {len(self.ids)} bodies")

    def bones(self, row: int) -> Array:
        """All bones of a body, (n, 2, 3)."""
        figures, at = self.figure_of(row)
        points = figures.points(np.array([at]))[0]
        result: Array = points[figures.bones]
        return result

    def is_skeleton(self, row: int) -> bool:
        """Whether a body has bones of its own, and no placeholder."""
        return self.figure_of(row)[0].is_skeleton

    def world(self, points: npt.ArrayLike) -> Array:
        """Points of the game as those of the scene."""
        return self._axes.points(points)

    def reach(self, row: int) -> float:
        """How far a body's bones reach from where it is."""
        figures, at = self.figure_of(row)
        return float(figures.reaches[at])

    def tops(self, rows: Sequence[int]) -> Array:
        """Above the highest points of some bodies, (k, 3): where their names go."""
        indexes = np.array(rows, np.intp)
        result = self.positions[indexes]
        for figures in self.figures:
            mine, at, figure_indexes = np.intersect1d(
                indexes, figures.scene_rows, assume_unique=True, return_indices=True
            )
            if len(mine):
                high = figures.points(figure_indexes)[..., 2].max(axis=1)
                result[at, 2] = np.fmax(high, result[at, 2])
        result[:, 2] += 0.6 * self.radius
        return result

    def body(self, object: int) -> SceneBody | None:
        """One of the bodies by itself; None if it is not in the scene."""
        row = self.row(object)
        if row is None:
            return None
        snapshot = self.snapshot
        return SceneBody(
            object, self.label(object), snapshot.state_of(object), self.color(row),
            self.positions[row], self.tops([row])[0], self.turns[row][:, 0], self.bones(row),
            self.is_skeleton(row), bool(self.visible[row]), object in self.named,
        )  # fmt: skip

    def drawn(self, block: int, coordinates: int) -> RecordedDrawing:
        """A drawing by itself, by what `Shapes` says of it."""
        return self.snapshot.drawn(self.snapshot.drawings[block], coordinates)

    # --- making ---------------------------------------------------------------------------------

    def _look_for_eyes(self, group: ObjectGroup, positions: Array, turns: Array) -> None:
        """What has a field of view and angles is a camera: forward is its first axis."""
        fields = group.column("fov")
        if fields is None or fields.ndim != 1 or fields.dtype.kind != "f":
            return
        for at, id in enumerate(group.ids):
            forward, left, up = turns[at].T
            if np.isfinite(positions[at]).all() and np.isfinite(turns[at]).all():
                self.eyes.append(
                    CameraEye(id, positions[at], -left, up, forward, float(fields[at]))
                )

    def _usual_radius(self) -> float:
        return _RADII.get(self.snapshot.conventions.unit, 0.1)

    def _radius(self, extent: float) -> float:
        known = self._usual_radius()
        return known if self.has_skeletons else max(known, extent / _SHARE)

    def _made_figures(
        self, shown_groups: list[tuple[ObjectGroup, Indexes]]
    ) -> list[SkeletonFigures]:
        """Those that have joints, all of one skeleton at once; placeholders for the others."""
        made: list[SkeletonFigures] = []
        bare: list[Indexes] = []
        first = 0
        for group, rows in shown_groups:
            scene_rows = np.arange(first, first + len(rows))
            first += len(rows)
            joints = self._joints(group)
            if joints is None:
                bare.append(scene_rows)
                continue
            whole = group.whole[rows]
            if not whole.all():
                bare.append(scene_rows[~whole])
                rows, scene_rows = rows[whole], scene_rows[whole]
            for number, mine in _by_skeleton(group, rows):
                parents = self.snapshot.skeletons.get(f"{group.type}/{number}", ())
                made.append(SkeletonFigures(
                    scene_rows[mine], _rows_of(joints, rows[mine]), parents, group.layout.space,
                    self._axes, self.positions[scene_rows[mine]], self.turns[scene_rows[mine]],
                ))  # fmt: skip
        rest = np.concatenate([np.empty(0, np.intp), *bare])
        if len(rest):
            made.append(stand_ins(rest, self.positions[rest], self.turns[rest], self.radius))
        return made

    @staticmethod
    def _joints(group: ObjectGroup) -> npt.NDArray[np.floating[Any]] | None:
        field = group.role("joints")
        name = group.layout.tail_name or "tail"
        joints = group.tail() if field == name else group.column(field)
        if joints is None or joints.ndim != 4 or joints.shape[2:] != (3, 4) or not joints.shape[1]:
            return None
        return joints


def _has_no_position(group: ObjectGroup, poses: ObservedPoses) -> bool:
    """Whether no position of a type's objects is recorded: none is in any frame, nor in a field."""
    if not poses.is_complete or group.type in poses.placed or group.layout.space == "view":
        return False
    names = {name.rpartition(".")[2] for name, _, _ in group.layout.fields}
    return not group.role("position") and names.isdisjoint(_PLACES)


def _side_by_side(count: int, apart: float) -> Array:
    """Places around the origin, (n, 3): in a row, or in several if there are many."""
    across = count if count <= _LONGEST_ROW else math.ceil(math.sqrt(count))
    places = np.zeros((count, 3))
    places[:, 0], places[:, 1] = np.arange(count) % across, -(np.arange(count) // across)
    places[:, :2] -= (places[:, :2].min(axis=0) + places[:, :2].max(axis=0)) / 2
    return places * apart


def _is_in_plane(group: ObjectGroup) -> bool:
    """Whether objects are recorded with two coordinates, and no third one anywhere."""
    shapes = {name.rpartition(".")[2]: shape for name, _, shape in group.layout.fields}
    notes = group.layout.notes.items()
    moving = [name.rpartition(".")[2] for name, note in notes if note.role in _MOVING]
    if "z" in shapes or any(shapes.get(name) == (3,) for name in moving):
        return False
    is_pair = {"x", "y"} <= shapes.keys() or shapes.get("rect") == (4,)
    return is_pair or any(shapes.get(name) == (2,) for name in moving)


def _by_skeleton(group: ObjectGroup, rows: Indexes) -> list[tuple[int, Indexes]]:
    """The numbers of skeletons, and which of the rows have each."""
    column = group.column("skeleton")
    if not len(rows):
        return []
    if column is None:
        return [(-1, np.arange(len(rows)))]
    numbers = column[rows]
    if (numbers == numbers[0]).all():
        return [(int(numbers[0]), np.arange(len(rows)))]
    return [(number, np.flatnonzero(numbers == number)) for number in np.unique(numbers).tolist()]


def _rows_of(table: npt.NDArray[Any], rows: Indexes) -> npt.NDArray[Any]:
    """Some rows of a table; without copying it if that is all of them."""
    return table if len(rows) == len(table) else table[rows]


@lru_cache(maxsize=8)
def _axes_of(conventions: Conventions) -> AxisConversion:
    return AxisConversion(conventions)


def _stacked(parts: list[Any], shape: tuple[int, ...]) -> Any:
    """Columns one below the other; without any, one of this shape."""
    return np.concatenate(parts) if parts else np.empty(shape)


def _among(ids: npt.NDArray[np.int64], some: frozenset[int]) -> Flags:
    return np.isin(ids, list(some)) if some else np.zeros(len(ids), np.bool_)


def in_plane(conventions: Conventions) -> Conventions:
    """How a game in the plane of x and y is seen from above: x to the right, y as it points."""
    if conventions.up.lstrip("+-").lower() != "y":
        return conventions
    handedness = "left" if conventions.up.startswith("-") else "right"
    return msgspec.structs.replace(conventions, up="z", handedness=handedness)


def _extent(points: Array) -> float:
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        return 0.0
    if len(points) < _STRAYS:
        return float(np.ptp(points, axis=0).max())
    low, high = np.percentile(points, (2, 98), axis=0)
    return float((high - low).max())
