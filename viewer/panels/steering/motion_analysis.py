"""An object's motion near the playhead: its velocity, the desired one, and oscillation.

Velocities come from fields or watched values (see `velocity_fields`). A velocity that is not
recorded is computed from the positions, and labelled as such.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....recorder.reading.axis_conversion import AxisConversion
from ....recorder.text.duration_text import duration_text
from ...reader.frame_snapshot import FrameSnapshot
from ...reader.history.curve_gaps import joined
from ...reader.history.recording_history import RecordingHistory
from ...reader.velocity_fields import AVOIDANCE, DESIRED, KINDS, VELOCITY, exact, watched
from ...state.motion_around_playhead import PositionAt
from ...toolkit.time_text import time_text

Array = npt.NDArray[np.float64]

SLIDING = 1.0
"""Seconds of the window in which turns are counted."""
OSCILLATES = 3.0
"""Turns a second from which an object counts as oscillating: one that weaves through a crowd turns
to and fro once a second, twice at most; a controller that overshoots does it each few frames."""
STEADY = math.radians(20.0)
"""Turning slower than this, radians a second, is going straight on: no turn is counted."""
_MIN_SPEED_SHARE = 0.05
"""Below this share of the greatest speed around, a velocity's direction is noise."""


class MotionHistory(NamedTuple):
    """An object's movement around the playhead, z up; n frames in order.

    What is not known at a frame is NaN.
    """

    frames: Array
    times: Array
    """Seconds."""
    velocity: Array
    """(n, 3)"""
    desired: Array
    """(n, 3)"""
    avoidance: Array
    """(n, 3)"""
    speed: Array
    desired_speed: Array
    """The length of `desired`, or a recorded speed."""
    heading_error: Array
    """Radians from the desired heading to that of the velocity, left positive."""
    turns: Array
    """Turns to and fro a second, in the window that ends at the frame: see `oscillation`."""
    unit: str
    is_derived: bool
    """Whether the velocity was not recorded but follows from the positions."""

    def index_at(self, time: float) -> int:
        """The index of the newest frame at or before a time; −1 if there is none."""
        return int(np.searchsorted(self.times, time + 1e-9, side="right")) - 1

    @property
    def has_desired(self) -> bool:
        return bool(np.isfinite(self.desired_speed).any())


def motion_history_of(
    around: Mapping[int, PositionAt],
    history: RecordingHistory,
    object: int,
    snapshot: FrameSnapshot,
    seconds: float,
) -> MotionHistory:
    """The movement of an object within so many seconds of a frame, as far as it was read."""
    near = [
        at for at in sorted(around) if abs(around[at].time - snapshot.time) <= seconds + SLIDING
    ]
    frames = np.array(near, np.float64)
    times = np.array([around[at].time for at in near], np.float64)
    axes = AxisConversion(snapshot.conventions)
    rows = {kind: axes.points(_rows(around, history, object, kind, near)) for kind in KINDS}
    velocity = rows[VELOCITY]
    is_derived = not np.isfinite(velocity).any()
    if is_derived:
        positions = axes.points(np.array([around[at].position for at in near]).reshape(-1, 3))
        velocity = _differences(positions, times, frames)
    desired = rows[DESIRED]
    speed = _lengths(velocity)
    if not np.isfinite(speed).any() and (object, VELOCITY) in history.series:
        speed = exact(history.series[object, VELOCITY], frames)
    desired_speed = _lengths(desired)
    if not np.isfinite(desired_speed).any() and (object, DESIRED) in history.series:
        desired_speed = exact(history.series[object, DESIRED], frames)
    greatest = float(np.nanmax(speed)) if np.isfinite(speed).any() else 0.0
    return MotionHistory(
        frames, times, velocity, desired, rows[AVOIDANCE], speed, desired_speed,
        _heading_error(velocity, desired, greatest * _MIN_SPEED_SHARE),
        oscillation(times, velocity, greatest * _MIN_SPEED_SHARE, joined(frames)),
        _unit(snapshot, object), is_derived,
    )  # fmt: skip


def _rows(
    around: Mapping[int, PositionAt],
    history: RecordingHistory,
    object: int,
    kind: str,
    near: list[int],
) -> Array:
    result = np.full((len(near), 3), np.nan)
    for row, at in enumerate(near):
        vector = around[at].vectors.get(kind)
        if vector is not None:
            result[row] = vector
    if not np.isfinite(result).any():
        seen = watched(history.series, object, kind, np.array(near, np.float64))
        result = result if seen is None else seen
    return result


def _differences(positions: Array, times: Array, frames: Array) -> Array:
    """Velocities from the positions in frames beside each other, (n, 3)."""
    if len(times) < 2 or not (np.diff(times) > 0).all():
        return np.full((len(times), 3), np.nan)
    steps = np.diff(positions, axis=0) / np.diff(times)[:, None]
    steps[~joined(frames)] = np.nan
    result = np.concatenate([steps[:1], steps])
    # The first one after a break moves as it does in the next step.
    begins = np.flatnonzero(np.isnan(result[:-1, 0]))
    result[begins] = result[begins + 1]
    return result


def _lengths(rows: Array) -> Array:
    result: Array = np.sqrt((rows * rows).sum(axis=1))
    return result


def _heading_error(velocity: Array, desired: Array, min_speed: float) -> Array:
    result = _wrapped(_headings(velocity) - _headings(desired))
    level = np.hypot(velocity[:, 0], velocity[:, 1])
    desired_level = np.hypot(desired[:, 0], desired[:, 1])
    result[~((level > min_speed) & (desired_level > min_speed))] = np.nan
    return result


def _headings(rows: Array) -> Array:
    result: Array = np.arctan2(rows[:, 1], rows[:, 0])
    return result


def _wrapped(angles: Array) -> Array:
    result: Array = (angles + np.pi) % (2 * np.pi) - np.pi
    return result


def oscillation(
    times: Array, velocity: Array, min_speed: float = 0.0,
    beside: npt.NDArray[np.bool_] | None = None,
) -> Array:  # fmt: skip
    """How often an object turns to and fro, turns a second, (n,).

    Between neighbouring frames the velocity's heading h changes at the rate ω = Δh / Δt: the
    lateral acceleration divided by the speed, so of the same sign, but without a unit of length,
    which lets one threshold do for games in metres and in pixels. Rates below `STEADY`, and those
    without movement, count for nothing. Each change of the sign of ω from one counted rate to the
    next is a turn; the measure at t is the turns in (t − `SLIDING`, t], divided by `SLIDING`.

    A sharp corner or a long bend gives no turn or one, however strong; what trembles about a line
    gives two for each period. That is why signs are counted and sizes are not.

    Args:
        beside: Between which neighbours nothing is missing, (n − 1,); by default all.
    """
    result = np.zeros(len(times))
    if len(times) < 3:
        return result
    level = np.hypot(velocity[:, 0], velocity[:, 1])
    steps = np.diff(times)
    with np.errstate(invalid="ignore", divide="ignore"):
        rates = _wrapped(np.diff(_headings(velocity))) / steps
        counted = (
            (np.abs(rates) > STEADY) & (level[1:] > min_speed) & (level[:-1] > min_speed)
            & (steps > 0)
        )  # fmt: skip
    if beside is not None:
        counted &= beside
    where = np.flatnonzero(counted)
    signs = np.sign(rates[where])
    turned = times[1:][where][1:][signs[1:] != signs[:-1]]
    newest = np.searchsorted(turned, times + 1e-9, side="right")
    oldest = np.searchsorted(turned, times - SLIDING + 1e-9, side="right")
    result[:] = (newest - oldest) / SLIDING
    return result


class Verdict(NamedTuple):
    """The text about the oscillation at a time."""

    text: str
    oscillates: bool


def verdict(motion: MotionHistory, time: float) -> Verdict:
    """Whether it oscillates at a time, since when, and how much."""
    at = motion.index_at(time)
    if at < 0:
        return Verdict("", oscillates=False)
    rate = float(motion.turns[at])
    if rate < OSCILLATES:
        return Verdict(f"steady: {rate:.1f} turns/s", oscillates=False)
    calm = np.flatnonzero(motion.turns[: at + 1] < OSCILLATES)
    since = f"since {time_text(float(motion.times[calm[-1] + 1]))}" if len(calm) else (
        f"since before {time_text(float(motion.times[0]))}"
    )  # fmt: skip
    return Verdict(f"oscillates: {rate:.1f} turns/s {since}", oscillates=True)


class Neighbour(NamedTuple):
    """Another object, as it comes near."""

    object: int
    label: str
    distance: float
    """Over the ground, between the two positions."""
    bearing: float
    """Radians from x towards y."""
    seconds: float
    """Until the two are closest, if both go on as they do; infinite if they don't come nearer."""
    closest: float
    """How far apart they are then."""
    guessed: bool
    """Whether the other's velocity was not recorded: it is assumed to be at rest."""


def nearest(snapshot: FrameSnapshot, object: int, velocity: Array) -> Neighbour | None:
    """The object that is nearest over the ground; cameras and what hangs on them don't count.

    They meet at their closest approach, as ships do at sea: with p from one to the other and
    w the velocity at which that shrinks, t = p·w / w², and they are |p − w t| apart then. That
    needs no sizes of bodies, which are not recorded.

    Args:
        velocity: Of the object, z up; NaN if it is not known.
    """
    if object not in snapshot.objects:
        return None
    axes = AxisConversion(snapshot.conventions)
    here = axes.points(snapshot.objects[object].packet.position)[:2]
    ids: list[int] = []
    points: list[Array] = []
    speeds: list[Array] = []
    for group in snapshot.objects.groups:
        if group.layout.space == "view" or group.role("fov"):
            continue
        visible = group.visible
        ids += [id for id, on in zip(group.ids, visible.tolist(), strict=True) if on]
        points.append(axes.points(group.positions[visible])[:, :2])
        column = group.column(group.role(VELOCITY) or VELOCITY)
        known = column is not None and column.ndim == 2 and column.shape[1] == 3
        speeds.append(
            axes.points(column[visible])[:, :2] if column is not None and known
            else np.full((int(visible.sum()), 2), np.nan)
        )  # fmt: skip
    if not ids:
        return None
    apart = np.concatenate(points) - here
    away = np.hypot(apart[:, 0], apart[:, 1])
    away[[at for at, id in enumerate(ids) if id == object]] = np.inf
    at = int(np.nanargmin(away)) if np.isfinite(away).any() else -1
    if at < 0:
        return None
    other = np.concatenate(speeds)[at]
    guessed = not np.isfinite(other).all()
    seconds, closest = _meeting(apart[at], velocity[:2] - (0.0 if guessed else other))
    return Neighbour(
        ids[at], snapshot.name_of(ids[at]), float(away[at]),
        math.atan2(apart[at, 1], apart[at, 0]), seconds, closest, guessed,
    )  # fmt: skip


def _meeting(apart: Array, closing: Array) -> tuple[float, float]:
    """Seconds to the closest approach, and how far apart that is."""
    square = float(closing @ closing)
    seconds = float(apart @ closing) / square if square > 1e-12 else -1.0
    if not seconds > 0.0:
        return math.inf, float(np.hypot(*apart))
    return seconds, float(np.hypot(*(apart - closing * seconds)))


def meeting(neighbour: Neighbour, unit: str) -> str:
    """The nearest object in words."""
    text = f"{neighbour.label}, {neighbour.distance:.2f} {unit}".rstrip()
    if math.isfinite(neighbour.seconds):
        closest = f"{neighbour.closest:.2f} {unit}".rstrip()
        text += f" · closest {closest} in {duration_text(neighbour.seconds)}"
    else:
        text += " · not nearing"
    return text + (" (assumed at rest)" if neighbour.guessed else "")


def _unit(snapshot: FrameSnapshot, object: int) -> str:
    if object in snapshot.objects:
        layout = snapshot.objects[object].layout
        notes = {} if layout is None else layout.notes
        for note in notes.values():
            if note.role == VELOCITY and note.unit:
                return note.unit
    return f"{snapshot.conventions.unit}/s" if snapshot.conventions.unit else ""
