"""What the agent remembers from frame to frame: its row of the demo, its points of return."""

import math
from typing import NamedTuple

from .engine_axes import PlanPoint, Stick
from .playthrough_settings import AgentSettings
from .replay_report import Kind
from .route.breadcrumbs import Breadcrumbs
from .route.explored_map import ExploredMap
from .state_names import BACK, MOVE

MOST_SHIFT = 1.0
"""Metres that a replay is begun beside its place at most."""


class BattleTarget(NamedTuple):
    """What identifies the enemy that is fought: games may give many of them one label."""

    label: str
    point: PlanPoint
    """Where it was last."""
    hp: float
    frame: int
    """The agent's frame in which it was there."""
    object: int
    """Its id in the recording, for traces only."""


class AgentMemory:
    """The agent's variables; states and conditions read and write them."""

    def __init__(self, settings: AgentSettings) -> None:
        recovery = settings.recovery
        self._length = recovery.length
        self.state = MOVE
        """The name of the present state."""
        self.row: int = 0
        """The demo's row that it refers to: where in the demo it is."""
        self.target_row = 0
        self.furthest = 0
        self.event_buffer: list[int | str] = [0]
        """Points of return, the newest last: rows, and between them what happened."""
        self.last_checkpoint: PlanPoint | None = None
        """Where it was when it last followed the demo."""
        self.tar_enemy: BattleTarget | None = None
        """The enemy that is fought."""
        self.retreats: list[PlanPoint] = []
        """Where it has gone back from what might harm it in a fight."""
        self.pad_replay_numb = 0
        """How many more rows of the pad are replayed."""
        self.replayed: int | None = None
        """The last row of a replay that was as in the demo: it may be the row of a start."""
        self.deeds_done: set[int] = set()
        """Rows at which a press was replayed that had the outcome that it had in the demo."""
        self.redone: dict[int, int] = {}
        """For each row, how often the agent went back to it because something was lacking."""
        self.shifts: dict[int, Stick] = {}
        """For the row in which a replay begins, how far from the demo's place it is begun, after it
        fell short there."""
        self.sides: dict[int, int] = {}
        """For the row in which somebody is talked to or something is used, how many places around
        it could not be reached."""
        self.returning: int | None = 0
        """The row that it goes back to; first of all to the demo's beginning."""
        self.trail = Breadcrumbs(recovery.crumb, recovery.trail, settings.moving.warp)
        self.retraced: list[PlanPoint] | None = None
        """What is left of its own trail on the way back; None while it goes straight."""
        self.explored_map = ExploredMap(
            recovery.crumb, settings.moving.height, settings.moving.warp
        )
        """Where it could walk, and what was in its way."""
        self.blocked_by = ""
        """Why the last of its ways round was looked for."""
        self.detours = 0
        """Ways round that it has looked for at one place."""
        self.detour_frames = 0
        """Frames that all of them took: they do not count for the time that a replay may take."""
        self.detoured_at = -1.0
        """Metres of the route from which on it is another place."""
        self.fine_until = 0
        """Up to this row it follows every row."""
        self.ruled = False
        """Whether a state that ignores the demo has been entered since it last followed it."""
        self.screens_until = 0
        """The demo's screens before this row are behind."""
        self.talking = 0
        """Frames that it has been trying to begin a conversation."""
        self.differing: dict[str, int] = {}
        """For each mode that a press switches, frames in which it was not as in the demo."""
        self.attempts = 0
        """Recoveries since it last came to a new row."""
        self.stuck_at = -1
        """The furthest row when the first of them was counted."""
        self.pressed_at = -1
        """The furthest row when it last went back to a press that opens the way on."""
        self.stuck_by: tuple[Kind, str] = ("stuck", "")
        """What the first of them was for."""
        self.wiggling = 0
        """Frames for which it still walks anywhere."""
        self.wiggle: Stick = (0.0, 0.0)

    def shift(self, row: int, x: float, y: float) -> None:
        """A replay from this row ended so far from where it had to: begin it so much farther on."""
        before = self.shifts.get(row, (0.0, 0.0))
        x, y = x + before[0], y + before[1]
        size = math.hypot(x, y)
        most = MOST_SHIFT / max(size, MOST_SHIFT)
        self.shifts[row] = x * most, y * most

    def push(self, entry: int | str) -> None:
        """Keep a point of return, or between two of them what happened."""
        if not self.event_buffer or self.event_buffer[-1] != entry:
            self.event_buffer.append(entry)
            del self.event_buffer[: -self._length]

    def reach(self, row: int) -> None:
        """The demo's row referred to is now this one."""
        self.row, self.talking = row, 0
        self.furthest = max(self.furthest, row)

    def advance(self, row: int) -> None:
        """The same, if that is farther on; what was to be gone back to is behind then."""
        if row > self.row:
            self.reach(row)
            self.returning = None

    def way_back(self) -> str:
        """The state after one that is no part of the demo."""
        return BACK if self.ruled and self.last_checkpoint is not None else MOVE
