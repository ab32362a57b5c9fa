"""Records what the agent does: traces, watched numbers, marks and drawings."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...decision_rules import Decision, hooks_on
from ...hooks.decision_hooks import DecisionHooks
from ...playback.pads.pad import Pad
from ...recorder.packets.reexecutable_decisions import DecisionMaker
from ...recorder.statements.instrumentation_interface import (
    NULL_INSTRUMENTATION,
    Belief,
    Instrumentation,
    Rejected,
    Scalar,
)
from .agent_memory import AgentMemory
from .dialogue.event_matcher import EventLog
from .engine_axes import EngineGeometry
from .observation_view import ObservationView
from .replay_report import ReplayReport
from .route.demo_route import DemoRoute
from .route.walk_to_place import Walker

MACHINE = "playthrough"
CHANNEL = "replay"
ROW_LANE = "replay.row"
"""The watched value for the demo's row that the agent is at."""
RECOVERY = "recovery"
"""The mark for each time that the agent goes back, or on from a row ahead."""
ROUTE_COLOR = (90, 150, 220)
WAY_POINT_COLOR = (140, 190, 240)
HERE_COLOR = (250, 200, 60)
TARGET_COLOR = (250, 120, 60)
TICK = 0.3
"""Height of a way point's line, metres."""


class TraceWriter:
    """Records what the agent does and why.

    Args:
        object: The id of the object that the agent plays.
        game_time: The game time of one of the agent's frames.
        segments: The most lines of the drawn route.
        states: The names of all states, in the order of their numbers.
    """

    def __init__(
        self, instruments: Instrumentation, object: int, *, geometry: EngineGeometry,
        route: DemoRoute, memory: AgentMemory, events: EventLog, report: ReplayReport,
        walker: Walker, game_time: Callable[[int], float], segments: int, states: Sequence[str],
    ) -> None:  # fmt: skip
        self._instruments = instruments
        self._object = object
        self._geometry = geometry
        self._route = route
        self._memory = memory
        self._events = events
        self._report = report
        self._walker = walker
        self._game_time = game_time
        self._segments = segments
        self._states = states
        self._drawn = False

    def transition(
        self, view: ObservationView, source: str, target: str, won: str,
        also_true: tuple[str, ...], rejected: tuple[Rejected, ...],
    ) -> None:  # fmt: skip
        """A state was left for another."""
        seen, memory = view.seen, self._memory
        values: dict[str, Scalar] = {
            "row": memory.row, "target_row": memory.target_row,
            "still": self._walker.stalled_frames, "level": seen.level,
            "event": self._events.current, "screen": seen.screen,
            "message": seen.message, "in_air": seen.in_air, "field": seen.field,
            "enemies": len(seen.enemies), "bosses": len(seen.bosses), "items": len(seen.items),
            "recoveries": self._report.recoveries,
        }  # fmt: skip
        self._instruments.trace.state(
            self._object, MACHINE, source, target, won=won, also_true=also_true,
            rejected=rejected, values=values, beliefs=self._beliefs(),
        )  # fmt: skip

    def decision(
        self, inputs: Callable[[], Mapping[str, Any]], state: str,
        decision: Decision[Any, str] | None, maker: DecisionMaker,
    ) -> None:  # fmt: skip
        """The table of transitions was gone through, and what came of it; None for nothing."""
        if self._instruments is not NULL_INSTRUMENTATION:
            target, won = ("", "") if decision is None else (decision.target, decision.won)
            self._instruments.trace.decision(
                self._object, MACHINE, {**inputs(), "state": state}, target, won=won, maker=maker
            )

    @property
    def hooks(self) -> DecisionHooks | None:
        """The hooks that are set on the agent's transitions; None for none."""
        return hooks_on(self._instruments, self._object, MACHINE)

    def frame(self, view: ObservationView, pad: Pad) -> None:
        """What there is to see in each frame."""
        memory = self._memory
        instruments, object = self._instruments, self._object
        if not self._drawn:
            self._drawn = True
            self._draw_route()
        watch = instruments.watch
        watch("replay.state", self._states.index(memory.state), object)
        watch(ROW_LANE, memory.row, object)
        watch("replay.target row", memory.target_row, object)
        watch("replay.stick x", pad.left[0], object)
        watch("replay.stick y", pad.left[1], object)
        watch("replay.held", pad.held, object)
        watch("replay.still", self._walker.stalled_frames, object)
        watch("replay.points of return", len(memory.event_buffer), object)
        here = self._geometry.game_position(self._route.point(memory.row))
        draw = instruments.draw
        draw.sphere(here, self._length(0.2), color=HERE_COLOR, object=object, channel=CHANNEL)
        point = self._walker.target
        if point is not None:
            target = self._geometry.game_position(point)
            for axis, value in zip("xyz", target, strict=True):
                watch(f"replay.target {axis}", value, object)
            draw.line(
                view.seen.position, target, color=TARGET_COLOR, object=object, channel=CHANNEL
            )

    def recovered(self, reason: str, row: int) -> None:
        """The agent goes back to a point of return, or on from a row ahead."""
        way = "on from" if row > self._memory.row else "back to"
        self._instruments.mark(
            RECOVERY, f"{reason}; {way} row {row}, state {self._memory.state}",
            object=self._object,
        )  # fmt: skip

    def stands_elsewhere(self, reason: str, row: int) -> None:
        """The agent tries another side of whom or what is meant in a row."""
        self._instruments.mark(
            RECOVERY, f"{reason}; it tries another side of what row {row} is about",
            object=self._object,
        )  # fmt: skip

    def detoured(self, reason: str) -> None:
        """The agent looks for a way round."""
        self._instruments.mark("detour", f"{reason}; it looks for a way round", object=self._object)

    def debug_called(self, text: str) -> None:
        """A debug function of the game was called: from here on it is no play by the pad alone."""
        self._instruments.mark("debug function", text, object=self._object)

    def log(self, text: str) -> None:
        """Something that is not as in the demo, and no failure."""
        self._instruments.log(text, object=self._object, channel=CHANNEL)

    def _beliefs(self) -> tuple[Belief, ...]:
        target = self._memory.tar_enemy
        if target is None:
            return ()
        position = self._geometry.game_position(target.point)
        return (Belief(target.object, position, self._game_time(target.frame), target.label),)

    def _length(self, metres: float) -> float:
        origin, there = self._geometry.game_positions(
            np.array([[0.0, 0.0, 0.0], [metres, 0.0, 0.0]])
        )
        return float(np.abs(there - origin).max())

    def _draw_route(self) -> None:
        route, most = self._route, self._segments
        rows = route.checkpoints
        rows = rows[:: max(1, -(-len(rows) // most))]
        points = route.points[rows]
        # No line where the player did not walk.
        parts = np.searchsorted(route.part_starts, rows, "right")
        joined = parts[1:] == parts[:-1]
        segments = np.stack([points[:-1], points[1:]], axis=1)[joined]
        ticks = np.stack([points, points + np.array([0.0, 0.0, TICK])], axis=1)
        for name, lines, color in (
            ("demo route", segments, ROUTE_COLOR), ("way points", ticks, WAY_POINT_COLOR)
        ):  # fmt: skip
            if len(lines):
                self._instruments.draw.lines(
                    self._geometry.game_positions(lines.reshape(-1, 3)).reshape(-1, 2, 3),
                    color=color, object=self._object, channel=CHANNEL, latch=name,
                )  # fmt: skip
