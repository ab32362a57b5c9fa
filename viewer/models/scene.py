"""The scene: a moment as bodies and drawings of a z-up world, ready to be projected."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...playback.shown import Shown
from ...recorder.axes import Axes
from ...recorder.reader import Drawn
from ...recorder.world import Conventions
from . import palette
from .beliefs import Held
from .camera import Eye
from .figures import Figures, Places, stand_ins
from .moment import Moment
from .objects import Group
from .shapes import Shapes, shapes_of

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_RADII = {"m": 0.35, "cm": 35.0, "mm": 350.0, "ft": 1.2, "map unit": 16.0, "px": 8.0}
"""How large a stand-in is, by the world's unit of length."""


class Body(NamedTuple):
    """One object that is drawn by its bones, or by a stand-in."""

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


class Scene:
    """All that is in sight of a frame; bodies are rows of the same columns.

    Args:
        moment: The frame.
        shown: Its focus and hidden channels decide which drawings are there.
        hidden: Objects that the person does not want to see.

    Raises:
        DamagedError: the recorded conventions are broken.
    """

    def __init__(self, moment: Moment, shown: Shown, hidden: frozenset[int] = frozenset()) -> None:
        self.moment = moment
        self._axes = axes = _axes_of(moment.conventions)
        self.eyes: list[Eye] = []
        """The game's own cameras, in recording order."""
        types = moment.objects.types
        self.colors = [palette.type_color(type, types) for type in types]
        kept: list[tuple[Group, Places]] = []
        columns: list[tuple[Array, Array, Flags, Places, Places]] = []
        groups, first = moment.objects.groups, 0
        # All at once: many small products of matrices cost more than one large one.
        every = axes.points(_stacked([group.positions for group in groups], (0, 3)))
        turned = axes.turns(_stacked([group.angles for group in groups], (0, 3)))
        finite: Flags = np.logical_and.reduce(np.isfinite(every), axis=1)
        for group in groups:
            mine = slice(first, first + len(group))
            first += len(group)
            positions, turns = every[mine], turned[mine]
            self._look_for_eyes(group, positions, turns)
            if group.layout.space == "view":
                continue  # it hangs on a camera, and only who looks through that sees it
            ids = np.array(group.ids, np.int64)
            rows = np.flatnonzero(finite[mine] & ~_among(ids, hidden))
            if len(rows):
                look = np.full(len(rows), types.index(group.type))
                visible = group.visible[rows]
                columns.append((positions[rows], turns[rows], visible, ids[rows], look))
                kept.append((group, rows))
        self.positions: Array = _stacked([one[0] for one in columns], (0, 3))
        """(n, 3)"""
        self.turns: Array = _stacked([one[1] for one in columns], (0, 3, 3))
        """(n, 3, 3); what is ahead is each one's first column."""
        self.visible: Flags = _stacked([one[2] for one in columns], (0,)).astype(np.bool_)
        self.ids: npt.NDArray[np.int64] = _stacked([one[3] for one in columns], (0,)).astype(
            np.int64
        )
        self.looks: Places = _stacked([one[4] for one in columns], (0,)).astype(np.intp)
        """(n,) places among `colors`."""
        self.radius = _radius(moment, self.positions)
        """How large a stand-in is."""
        self.figures = self._made_figures(kept)
        self.shapes: Shapes = shapes_of(axes, moment.drawings, shown, moment.channels, hidden)

    def ghosts(self, held: Sequence[Held]) -> list[Ghost]:
        """Where beliefs stand in this scene, beside what is true."""
        return [
            Ghost(
                one.object, one.label, self._axes.points(one.position), one.age, one.note,
                None if true is None else self._axes.points(true.packet.position),
            )
            for one in held
            for true in (self.moment.objects.get(one.object),)
        ]  # fmt: skip

    # --- bodies ---------------------------------------------------------------------------------

    @property
    def points(self) -> Array:
        """What a camera should see to see all."""
        ends = self.shapes.ends.reshape(-1, 3) if len(self.shapes.ends) > 8 else np.empty((0, 3))
        return np.concatenate([self.positions[self.visible], ends])

    @cached_property
    def _rows(self) -> dict[int, int]:
        return {id: at for at, id in enumerate(self.ids.tolist())}

    @cached_property
    def named(self) -> frozenset[int]:
        """Whom somebody gave a name, and who decides or is watched."""
        moment = self.moment
        told = {agent for agent, _ in moment.states} | {agent for agent, _ in moment.watches}
        return frozenset(told | moment.names.keys())

    def row(self, object: int) -> int | None:
        """Where an object stands in the columns; None if it is not in the scene."""
        return self._rows.get(object)

    def label(self, object: int) -> str:
        return self.moment.name_of(object)

    def color(self, row: int) -> str:
        return self.colors[int(self.looks[row])]

    def _figure_of(self, row: int) -> tuple[Figures, int]:
        for figures in self.figures:
            at = int(np.searchsorted(figures.places, row))
            if at < len(figures.places) and figures.places[at] == row:
                return figures, at
        raise IndexError(f"row {row}: there are {len(self.ids)} bodies")

    def bones(self, row: int) -> Array:
        """All bones of a body, (n, 2, 3)."""
        figures, at = self._figure_of(row)
        points = figures.points(np.array([at]))[0]
        told: Array = points[figures.bones]
        return told

    def is_skeleton(self, row: int) -> bool:
        """Whether a body has bones of its own, and no stand-in."""
        return self._figure_of(row)[0].is_skeleton

    def world(self, points: npt.ArrayLike) -> Array:
        """Points of the game as those of the scene."""
        return self._axes.points(points)

    def reach(self, row: int) -> float:
        """How far a body's bones reach from where it is."""
        figures, at = self._figure_of(row)
        return float(figures.reaches[at])

    def tops(self, rows: Sequence[int]) -> Array:
        """Above the highest points of some bodies, (k, 3): where their names go."""
        wanted = np.array(rows, np.intp)
        told = self.positions[wanted]
        for figures in self.figures:
            mine, at, places = np.intersect1d(
                wanted, figures.places, assume_unique=True, return_indices=True
            )
            if len(mine):
                high = figures.points(places)[..., 2].max(axis=1)
                told[at, 2] = np.fmax(high, told[at, 2])
        told[:, 2] += 0.6 * self.radius
        return told

    def body(self, object: int) -> Body | None:
        """One of the bodies by itself; None if it is not in the scene."""
        row = self.row(object)
        if row is None:
            return None
        moment = self.moment
        return Body(
            object, self.label(object), moment.state_of(object), self.color(row),
            self.positions[row], self.tops([row])[0], self.turns[row][:, 0], self.bones(row),
            self.is_skeleton(row), bool(self.visible[row]), object in self.named,
        )  # fmt: skip

    def drawn(self, block: int, place: int) -> Drawn:
        """A drawing by itself, by what `Shapes` says of it."""
        return self.moment.drawn(self.moment.drawings[block], place)

    # --- making ---------------------------------------------------------------------------------

    def _look_for_eyes(self, group: Group, positions: Array, turns: Array) -> None:
        """What has a field of view and angles is a camera: forward is its first axis."""
        fields = group.column("fov")
        if fields is None or fields.ndim != 1 or fields.dtype.kind != "f":
            return
        for at, id in enumerate(group.ids):
            forward, left, up = turns[at].T
            if np.isfinite(positions[at]).all() and np.isfinite(turns[at]).all():
                self.eyes.append(Eye(id, positions[at], -left, up, forward, float(fields[at])))

    def _made_figures(self, kept: list[tuple[Group, Places]]) -> list[Figures]:
        """Those that have joints, all of one skeleton at once; stand-ins for the others."""
        made: list[Figures] = []
        bare: list[Places] = []
        first = 0
        for group, rows in kept:
            places = np.arange(first, first + len(rows))
            first += len(rows)
            joints = self._joints(group)
            if joints is None:
                bare.append(places)
                continue
            whole = group.whole[rows]
            if not whole.all():
                bare.append(places[~whole])
                rows, places = rows[whole], places[whole]
            for number, mine in _by_skeleton(group, rows):
                parents = self.moment.skeletons.get(f"{group.type}/{number}", ())
                made.append(Figures(
                    places[mine], _rows_of(joints, rows[mine]), parents, group.layout.space,
                    self._axes, self.positions[places[mine]], self.turns[places[mine]],
                ))  # fmt: skip
        rest = np.concatenate([np.empty(0, np.intp), *bare])
        if len(rest):
            made.append(stand_ins(rest, self.positions[rest], self.turns[rest], self.radius))
        return made

    @staticmethod
    def _joints(group: Group) -> npt.NDArray[np.floating[Any]] | None:
        field = group.role("joints")
        name = group.layout.tail_name or "tail"
        joints = group.tail() if field == name else group.column(field)
        if joints is None or joints.ndim != 4 or joints.shape[2:] != (3, 4) or not joints.shape[1]:
            return None
        return joints


def _by_skeleton(group: Group, rows: Places) -> list[tuple[int, Places]]:
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


def _rows_of(table: npt.NDArray[Any], rows: Places) -> npt.NDArray[Any]:
    """Some rows of a table; without copying it if that is all of them."""
    return table if len(rows) == len(table) else table[rows]


@lru_cache(maxsize=8)
def _axes_of(conventions: Conventions) -> Axes:
    return Axes(conventions)


def _stacked(parts: list[Any], shape: tuple[int, ...]) -> Any:
    """Columns one below the other; without any, one of this shape."""
    return np.concatenate(parts) if parts else np.empty(shape)


def _among(ids: npt.NDArray[np.int64], some: frozenset[int]) -> Flags:
    return np.isin(ids, list(some)) if some else np.zeros(len(ids), np.bool_)


def _radius(moment: Moment, positions: Array) -> float:
    known = _RADII.get(moment.conventions.unit)
    if known is not None:
        return known
    return max(float(np.ptp(positions, axis=0).max()) / 60 if len(positions) else 0.0, 0.1)
