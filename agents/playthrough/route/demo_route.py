"""The demo as a route: positions in plan coordinates, events, levels, way points and starts.

All of it is found once, when the demo is loaded; a frame then costs the same however long it is.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....playback.pads.pad import PULLED, Button
from ...recorded_demo import BUTTONS, COLUMNS, FIRST_BUTTON, Demo
from ..dialogue.selected_option import parse_option
from ..engine_axes import EngineGeometry, PlanPoint, Stick
from ..pad.button_presser import TRIGGER, bits_of
from ..playthrough_settings import AgentSettings, StartSettings
from .outcome_changes import OutcomeChange, changes_of
from .route_speed_limits import route_speeds

RUN = 0.5
"""How far the stick is pushed at least in a run-up."""
STRAIGHT = 0.94
"""The cosine of the most that a run-up bends, 20 degrees."""
Rows = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

HELD = "held"
"""The game's own column that holds the buttons' bits as they were held, if there is one: then a
replay holds what was held, instead of pressing for a moment."""


class DemoEvent(NamedTuple):
    """One time that an event was played in the demo; rows are from 0, the last one included."""

    id: str
    start: int
    end: int


class RouteStart(NamedTuple):
    """What the demo opened by a press of the confirm button: a conversation or a screen."""

    press: int
    """The row of the press."""
    start: int
    """The row in which it is there."""


class DemoRoute:
    """What the agent knows of its demo. Rows count from 0."""

    def __init__(self, demo: Demo, settings: AgentSettings, geometry: EngineGeometry) -> None:
        self.name = demo.name
        self.count = len(demo)
        columns = demo.columns
        self._columns = columns
        self.own = demo.own
        self.outcomes = demo.outcomes
        self.outcome_changes = changes_of(columns, demo.outcomes)
        self.points = geometry.plan_points(
            np.column_stack([columns[name] for name in ("player_x", "player_y", "player_z")])
        )
        self._points: list[tuple[float, ...]] = list(map(tuple, self.points.tolist()))
        walked = np.hypot(*np.diff(self.points[:, :2], axis=0).T)
        self._lengths: list[float] = [0.0, *np.cumsum(walked).tolist()]
        self._headings: list[float] = geometry.headings(columns["player_facing"]).tolist()
        self._cameras = geometry.headings(columns["camera_horizontal"]).tolist()
        self._pitches = [geometry.pitch(angle) for angle in columns["camera_vertical"].tolist()]
        self._sticks: list[Stick] = list(
            zip(columns["stick_x"].tolist(), columns["stick_y"].tolist(), strict=True)
        )
        self._directions = [
            geometry.direction(stick, facing, camera)
            for stick, facing, camera in zip(
                self._sticks,
                self._headings,
                self._cameras,
                strict=True,
            )
        ]
        self._held = _held(demo)
        self.pressed: list[int] = _pressed(columns, self._held).tolist()
        """The buttons that are pressed in each row, as bits."""
        self._pulls: list[float] = columns["trigger_l_value"].tolist()
        self.in_air: list[bool] = columns["in_air"].tolist()
        self.can_jump: list[bool] = columns["can_jump"].tolist()
        self.levels: list[str] = columns["level"].tolist()
        self.part_starts = self._parts(settings.moving.warp)
        """The rows in which a part of the route begins that can't be walked to: row 0, another
        level, a place far from the one before."""
        self._begins = frozenset(self.part_starts)
        self.events = _stretches(columns["event"])
        """Sorted by when they were played."""
        self.event_startend_index: dict[str, list[list[int]]] = {}
        for event in self.events:
            self.event_startend_index.setdefault(event.id, []).append([event.start, event.end])
        column = settings.screens.column
        self.screens = _stretches(columns[column]) if demo.own.get(column) is str else []
        """Screens that the demo was in; none if it has no column that says so."""
        self.tells_screens = demo.own.get(column) is str
        self._options = self._chosen(settings)
        self.openings = self._openings(settings)
        self.openings_by_start = {opening.start: opening for opening in self.openings.values()}
        self.screen_starts = {stay.start: stay for stay in self.screens}
        self.tells_levels = any(self.levels)
        self.starts = self._starts(settings)
        """For each row at which the pad is to be replayed, its condition."""
        self.partners = self._partners(settings)
        """For each row of a press that opened a conversation, or that used something, whom or what
        it meant, if that is recorded."""
        self._walked_rows = self._moving_rows(settings)
        self.checkpoints = self._checkpoints(settings)
        """The rows of the way points."""
        self._speeds = route_speeds(
            self.points, self.checkpoints, np.array(self._sticks), self.part_starts,
            settings.moving,
        )  # fmt: skip
        self._checkpoint_list: list[int] = self.checkpoints.tolist()
        self._walked_row_list = [row for row in self._walked_rows.tolist() if not self.in_air[row]]
        self.exact: frozenset[int] = frozenset(
            [*self.starts, *self.openings, *(event.start for event in self.events), self.count - 1]
        )
        """Way points at which something is to be done just there."""

    def point(self, row: int) -> PlanPoint:
        """Where the player was."""
        x, y, z = self._points[row]
        return x, y, z

    def point_before(self, row: int) -> PlanPoint:
        """Where the player was before the row's pad did something: a row says where it led to."""
        return self.point(row if row in self._begins else row - 1)

    def heading(self, row: int) -> float:
        """Where the player faced."""
        return self._headings[row]

    def camera(self, row: int) -> tuple[float, float]:
        """Where the camera looked: heading and above the horizon."""
        return self._cameras[row], self._pitches[row]

    def direction(self, row: int) -> Stick:
        """Where on the plan the left stick pointed."""
        return self._directions[row]

    def stick(self, row: int) -> Stick:
        """The left stick as it was held."""
        return self._sticks[row]

    def pull(self, row: int) -> float:
        """How far the left trigger was pulled."""
        return self._pulls[row]

    def held_buttons(self, row: int) -> int | None:
        """The buttons that were down, if the game's own column `held` says so."""
        return None if self._held is None else int(self._held[row])

    def speed(self, row: int) -> float:
        """How far the stick may be pushed at most when the player comes to a row, 0 … 1."""
        at = bisect_left(self._checkpoint_list, row)
        return self._speeds[min(at, len(self._speeds) - 1)]

    def value(self, row: int, column: str) -> Any:
        """What any column says."""
        value = self._columns[column][row]
        return value.item() if isinstance(value, np.generic) else value

    def option(self, row: int) -> str | float | None:
        """The option that the row's press confirms, by the cursor's column before it."""
        return self._options.get(row)

    def changed_outcomes(self, first: int, last: int) -> list[str]:
        """The outcomes that are not the same before the first of these rows and after the last."""
        before, after = max(0, first - 1), min(last, self.count - 1)
        return [
            name
            for name in self.outcomes
            if self._columns[name][before] != self._columns[name][after]
        ]

    def decided(self, first: int, last: int) -> list[OutcomeChange]:
        """The changes between them of those that must be equal at the demo's end."""
        before, after = max(0, first - 1), min(last, self.count - 1)
        return [
            OutcomeChange(after, name, self.value(before, name), self.value(after, name))
            for name in self.changed_outcomes(first, last)
            if self.outcomes[name] == "equal"
        ]

    def next_move_checkpoint_data(self, row: int, *, fine: bool = False) -> int:
        """The row of the next way point after this row; the last row has none after it.

        Args:
            fine: Take the next row that was not idle, to follow the demo more closely.
        """
        rows = self._walked_row_list if fine else self._checkpoint_list
        at = bisect_right(rows, row)
        found = rows[at] if at < len(rows) else self.count - 1
        if fine:
            at = bisect_right(self._checkpoint_list, row)
            if at < len(self._checkpoint_list):
                # Never past one at which something is to be done.
                found = min(found, self._checkpoint_list[at])
        return found

    def walked_rows(self, first: int, last: int) -> list[int]:
        """The rows of these in which the player walked on the ground."""
        rows = self._walked_row_list
        return rows[bisect_left(rows, first) : bisect_right(rows, last)]

    def length(self, row: int) -> float:
        """Metres of the route up to this row."""
        return self._lengths[row]

    def part(self, row: int) -> int:
        """Which part of the route this row is in, from 0."""
        return bisect_right(self.part_starts, row) - 1

    def part_end(self, row: int) -> int:
        """The last row of the part that this row is in."""
        at = self.part(row) + 1
        return self.part_starts[at] - 1 if at < len(self.part_starts) else self.count - 1

    def next_level(self, row: int) -> int | None:
        """The row at which the next level of the demo begins; None if this row's is the last."""
        here = self.levels[row]
        later = self.part_starts[self.part(row) + 1 :]
        return next((start for start in later if self.levels[start] != here), None)

    def nearest(self, point: PlanPoint, row: int) -> int:
        """The row up to this one, in its part, at which the player was nearest to a place."""
        first = self.part_starts[self.part(row)]
        away = ((self.points[first : row + 1] - point) ** 2).sum(axis=1)
        # Of equally near ones the latest.
        return row - int(np.argmin(away[::-1]))

    def at(self, point: PlanPoint, rows: range, radius: float, height: float) -> int | None:
        """The row of these, on the ground, that is nearest to a place; None if all are far."""
        away = self.points[rows.start : rows.stop] - point
        distances = np.hypot(away[:, 0], away[:, 1])
        flying = np.array(self.in_air[rows.start : rows.stop], bool)
        distances[flying | (np.abs(away[:, 2]) > height)] = np.inf
        found = int(np.argmin(distances)) if len(distances) else 0
        return rows[found] if len(distances) and distances[found] <= radius else None

    def next_exact(self, row: int) -> int:
        """The next row after this one at which something is to be done just there."""
        return min((exact for exact in self.exact if exact > row), default=self.count - 1)

    def event_at(self, row: int) -> DemoEvent | None:
        """The event that this row is in."""
        at = bisect_right(self.events, row, key=lambda event: event.start) - 1
        if at >= 0 and row <= self.events[at].end:
            return self.events[at]
        return None

    def screen_at(self, name: str, row: int) -> DemoEvent | None:
        """The demo's next stay in this screen that is not over before this row."""
        at = bisect_left(self.screens, row, key=lambda stay: stay.end)
        return next((stay for stay in self.screens[at:] if stay.id == name), None)

    def _parts(self, warp: float) -> list[int]:
        starts = set(_changes(self._columns["level"]))
        moved = np.abs(np.diff(self.points, axis=0)).max(axis=1, initial=0.0)
        starts.update((np.flatnonzero(moved > warp) + 1).tolist())
        return sorted(starts)

    def _openings(self, settings: AgentSettings) -> dict[int, RouteStart]:
        """By the row of the press: a press of confirm shortly before an event has opened it."""
        key, back = bits_of(settings.keys.confirm), settings.talking.lookahead
        pressed = np.flatnonzero(np.array(self.pressed) & key).tolist()
        free = set(settings.events.ignored) | set(settings.events.playable)
        begun = [stay for stay in (*self.events, *self.screens) if stay.id not in free]
        openings: dict[int, RouteStart] = {}
        for _, start, _ in sorted(begun, key=lambda stay: stay.start):
            at = bisect_right(pressed, start) - 1
            if at < 0 or pressed[at] < start - back:
                continue
            press = pressed[at]
            inside = self.event_at(press)
            if inside is not None and inside.start < press and inside.id not in free:
                continue  # a press inside another event opened nothing
            openings.setdefault(press, RouteStart(press, start))
        return openings

    def _partners(self, settings: AgentSettings) -> dict[int, str]:
        column = settings.talking.column
        if self.own.get(column) is not str:
            return {}
        names = {row: str(self.value(one.start, column)) for row, one in self.openings.items()}
        for row, start in self.starts.items():
            if start.outcome and row not in names:
                soon = range(row, min(row + start.within, self.count - 1) + 1)
                names[row] = next(filter(None, (str(self.value(at, column)) for at in soon)), "")
        return {row: name for row, name in names.items() if name}

    def _chosen(self, settings: AgentSettings) -> dict[int, str | float]:
        """By the row of the press: the option under the cursor."""
        column, key = settings.screens.cursor, bits_of(settings.keys.confirm)
        if column not in self.own:
            return {}
        rows = np.flatnonzero(np.array(self.pressed) & key).tolist()
        cells = ((row, parse_option(self.value(max(0, row - 1), column))) for row in rows)
        return {row: option for row, option in cells if option is not None}

    def _starts(self, settings: AgentSettings) -> dict[int, StartSettings]:
        starts: dict[int, StartSettings] = {}
        free = settings.events.playable
        for start in settings.pad_replay.starts:
            rows = start_rows(start, np.array(self.pressed), self._columns).tolist()
            if start.outcome:
                rows = [row for row in rows if self.decided(row, row + start.within)]
            for row in rows:
                # The press that closes a conversation is in the row after it.
                event = self.event_at(row) or self.event_at(row - 1)
                if row in self.openings or (
                    event is not None and event.start < row and event.id not in free
                ):
                    continue
                lead = settings.pad_replay.lead if start.lead is None else start.lead
                if lead is None:  # who jumps came in running
                    jumps = start.column == "in_air" and start.becomes is True
                    lead = self._run_up(row, settings.pad_replay.frames - 2) if jumps else 0
                starts.setdefault(self._led(row, lead), start)
        return starts

    def _run_up(self, row: int, most: int) -> int:
        """For how many rows before this one the player ran straight on, so that it came in fast."""
        heading, lead = self._directions[row], 0
        while lead < min(most, row):
            x, y = self._directions[row - lead - 1]
            size = math.hypot(x, y) * math.hypot(*heading)
            if size < RUN**2 or x * heading[0] + y * heading[1] < STRAIGHT * size:
                break
            lead += 1
        return lead

    def _led(self, row: int, lead: int) -> int:
        """So many rows earlier, but in the same level, outside of events and on the ground."""
        while lead > 0 and row > 0 and self.levels[row - 1] == self.levels[row]:
            if self.event_at(row - 1) is not None or self.in_air[row - 1]:
                break
            row, lead = row - 1, lead - 1
        return row

    def _moving_rows(self, settings: AgentSettings) -> Rows:
        """Rows in which something happened: in the others the player did not move."""
        moving = settings.moving
        must = np.array(self.pressed, bool)
        noted = [name for name, kind in self.own.items() if kind is str and name in self.outcomes]
        for name in ("level", "event", *self.own):
            if name in noted:
                continue  # the result of an action is in the action's own row, and that row is kept
            values = self._columns[name]
            must[1:] |= values[1:] != values[:-1]
        keeps: list[int] = []
        x, y, z = np.inf, np.inf, np.inf
        idle, rise = moving.idle**2, moving.rise
        for row, (point, forced) in enumerate(zip(self._points, must.tolist(), strict=True)):
            px, py, pz = point
            if forced or (px - x) ** 2 + (py - y) ** 2 > idle or abs(pz - z) > rise:
                keeps.append(row)
                x, y, z = px, py, pz
        return np.array(keeps, np.int64)

    def _checkpoints(self, settings: AgentSettings) -> Rows:
        free = settings.events.playable
        taken = np.zeros(self.count, bool)
        taken[self._walked_rows[:: settings.moving.interval]] = True
        taken &= ~np.array(self.in_air, bool)
        for event in self.events:
            if event.id not in free:
                taken[event.start + 1 : event.end + 1] = False
        for stay in self.screens:
            taken[stay.start + 1 : stay.end + 1] = False
        for start in self.part_starts[1:]:
            taken[[start - 1, start]] = True
        ignored = settings.events.ignored
        taken[[event.start for event in self.events if event.id not in ignored]] = True
        taken[[*self.starts, *self.openings]] = True
        taken[self.count - 1] = True
        return np.flatnonzero(taken)


def start_rows(
    start: StartSettings, pressed: npt.NDArray[Any], columns: Mapping[str, npt.NDArray[Any]]
) -> Rows:
    """The rows at which one declared condition for replaying the pad holds."""
    count = len(pressed)
    holds: Flags = np.ones(count, bool)
    if start.pressed:
        keys = 0
        for key in start.pressed:
            keys |= bits_of(key)
        holds &= (pressed & keys) != 0
    if start.where:
        if start.where not in columns:
            return np.empty(0, np.int64)
        holds &= columns[start.where].astype(bool)
    if start.column:
        if start.column not in columns:
            return np.empty(0, np.int64)
        values = columns[start.column]
        changed = np.zeros(count, bool)
        changed[1:] = values[1:] != values[:-1]
        if start.becomes is not None:
            changed &= values == start.becomes
        soon = changed.copy()
        for ahead in range(1, start.within + 1 if start.pressed else 1):
            soon[:-ahead] |= changed[ahead:]
        holds &= soon
    return np.flatnonzero(holds)


def _held(demo: Demo) -> Rows | None:
    """All buttons that were down, where a game has a column of its own that says so."""
    if demo.own.get(HELD) is not float:
        return None
    return demo.columns[HELD].astype(np.int64) & sum(Button)


def _pressed(columns: Mapping[str, npt.NDArray[Any]], held: Rows | None) -> Rows:
    bits: Rows = np.zeros(len(columns["level"]), np.int64)
    if held is not None:  # it knows of buttons that have no column
        bits[1:] |= held[1:] & ~held[:-1]
    for at, button in enumerate(BUTTONS, FIRST_BUTTON):
        bits |= np.where(columns[COLUMNS[at]], int(button), 0)
    bits |= np.where(columns["trigger_l"] & (columns["trigger_l_value"] > PULLED), TRIGGER, 0)
    return bits


def _changes(values: npt.NDArray[Any]) -> list[int]:
    """Row 0, and each row with another value than the row before."""
    if len(values) == 0:
        return []
    return [0, *(np.flatnonzero(values[1:] != values[:-1]) + 1).tolist()]


def _stretches(values: npt.NDArray[Any]) -> list[DemoEvent]:
    """Runs of rows with the same text; empty text is nothing."""
    starts = _changes(values)
    ends = [*(start - 1 for start in starts[1:]), len(values) - 1]
    return [
        DemoEvent(str(values[start]), start, end)
        for start, end in zip(starts, ends, strict=True)
        if values[start]
    ]
