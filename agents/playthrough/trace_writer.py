"""What the agent leaves in the recording: traces, watched numbers, marks and drawings."""

from typing import TYPE_CHECKING

import numpy as np

from ...playback.pad import Pad
from ...recorder.statements.instrumentation import Belief, Instrumentation, Rejected, Scalar
from .engine_axes import EngineGeometry
from .observation_view import ObservationView
from .state_transitions import STATES

if TYPE_CHECKING:
    from .playthrough_agent import PlaythroughAgent

MACHINE = "playthrough"
CHANNEL = "replay"
ROUTE_COLOR = (90, 150, 220)
WAY_POINT_COLOR = (140, 190, 240)
HERE_COLOR = (250, 200, 60)
TARGET_COLOR = (250, 120, 60)
TICK = 0.3
"""Metres: how high a way point's line stands."""


class TraceWriter:
    """Says to the instruments what the agent does and why."""

    def __init__(self, instruments: Instrumentation, geometry: EngineGeometry) -> None:
        self.instruments = instruments
        self._geometry = geometry
        self._drawn = False

    def transition(
        self, agent: "PlaythroughAgent", sight: ObservationView, source: str, target: str, won: str,
        also_true: tuple[str, ...], rejected: tuple[Rejected, ...],
    ) -> None:  # fmt: skip
        """A state was left for another."""
        seen = sight.seen
        values: dict[str, Scalar] = {
            "row": agent.row, "target_row": agent.target_row, "still": agent.walker.still,
            "level": seen.level, "event": agent.events.current, "screen": seen.screen,
            "message": seen.message, "in_air": seen.in_air, "field": seen.field,
            "enemies": len(seen.enemies), "bosses": len(seen.bosses), "items": len(seen.items),
            "recoveries": agent.report.recoveries,
        }  # fmt: skip
        self.instruments.trace.state(
            agent.object, MACHINE, source, target, won=won, also_true=also_true,
            rejected=rejected, values=values, beliefs=self._beliefs(agent),
        )  # fmt: skip

    def frame(self, agent: "PlaythroughAgent", sight: ObservationView, pad: Pad) -> None:
        """What there is to see in each frame."""
        instruments, object = self.instruments, agent.object
        if not self._drawn:
            self._drawn = True
            self._draw_route(agent)
        watch = instruments.watch
        watch("replay.state", STATES.index(agent.step_state), object)
        watch("replay.row", agent.row, object)
        watch("replay.target row", agent.target_row, object)
        watch("replay.stick x", pad.left[0], object)
        watch("replay.stick y", pad.left[1], object)
        watch("replay.held", pad.held, object)
        watch("replay.still", agent.walker.still, object)
        watch("replay.points of return", len(agent.event_buffer), object)
        here = self._geometry.position(agent.route.place(agent.row))
        draw = instruments.draw
        draw.sphere(here, self._length(0.2), color=HERE_COLOR, object=object, channel=CHANNEL)
        place = agent.walker.target
        if place is not None:
            target = self._geometry.position(place)
            for axis, value in zip("xyz", target, strict=True):
                watch(f"replay.target {axis}", value, object)
            draw.line(
                sight.seen.position, target, color=TARGET_COLOR, object=object, channel=CHANNEL
            )

    def recovered(self, agent: "PlaythroughAgent", reason: str, row: int) -> None:
        """The agent goes back to a point of return, or on from a row ahead."""
        way = "on from" if row > agent.row else "back to"
        self.instruments.mark(
            "recovery", f"{reason}; {way} row {row}, state {agent.step_state}",
            object=agent.object,
        )  # fmt: skip

    def said(self, agent: "PlaythroughAgent", text: str) -> None:
        """Something that is not as in the demo, and no failure."""
        self.instruments.log(text, object=agent.object, channel=CHANNEL)

    def _beliefs(self, agent: "PlaythroughAgent") -> tuple[Belief, ...]:
        target = agent.tar_enemy
        if target is None:
            return ()
        position = self._geometry.position(target.place)
        return (Belief(target.object, position, agent.now(target.frame), target.label),)

    def _length(self, metres: float) -> float:
        origin, there = self._geometry.positions(np.array([[0.0, 0.0, 0.0], [metres, 0.0, 0.0]]))
        return float(np.abs(there - origin).max())

    def _draw_route(self, agent: "PlaythroughAgent") -> None:
        route, most = agent.route, agent.settings.showing.segments
        rows = route.checkpoints
        rows = rows[:: max(1, -(-len(rows) // most))]
        places = route.places[rows]
        # No line where nobody walked.
        parts = np.searchsorted(route.part_starts, rows, "right")
        joined = parts[1:] == parts[:-1]
        segments = np.stack([places[:-1], places[1:]], axis=1)[joined]
        ticks = np.stack([places, places + np.array([0.0, 0.0, TICK])], axis=1)
        for name, lines, color in (
            ("demo route", segments, ROUTE_COLOR), ("way points", ticks, WAY_POINT_COLOR)
        ):  # fmt: skip
            if len(lines):
                self.instruments.draw.lines(
                    self._geometry.positions(lines.reshape(-1, 3)).reshape(-1, 2, 3),
                    color=color, object=agent.object, channel=CHANNEL, latch=name,
                )  # fmt: skip
