"""What states and conditions see of the agent: its demo, memory, body and report."""

import math
from collections.abc import Callable
from random import Random

from .agent_memory import AgentMemory
from .debug_call_rules import DebugRules
from .dialogue.event_matcher import EventLog
from .engine_axes import EngineGeometry, PlanPoint
from .observation_view import ObservationView
from .pad.button_presser import ButtonPresser, bits_of
from .playthrough_settings import AgentSettings, Key
from .replay_report import Kind, ReplayFailure, ReplayReport
from .route.demo_route import DemoRoute
from .route.game_pathfinding import FindPath
from .route.walk_to_place import Walker
from .target_choice import TargetChooser
from .trace_writer import TraceWriter

ChangeState = Callable[[str, ObservationView, str], None]
"""Goes over to a state, for what is seen, because this condition won."""


class PlaythroughAgentContext:
    """One replay's parts, shared by everything that decides or acts in it.

    Args:
        change_state: Changes the present state.
    """

    def __init__(
        self, *, settings: AgentSettings, geometry: EngineGeometry, route: DemoRoute,
        memory: AgentMemory, events: EventLog, report: ReplayReport, presser: ButtonPresser,
        walker: Walker, targets: TargetChooser, trace: TraceWriter, debug: DebugRules,
        find_path: FindPath, rng: Random, change_state: ChangeState,
    ) -> None:  # fmt: skip
        self.settings = settings
        self.geometry = geometry
        self.route = route
        self.memory = memory
        self.events = events
        self.report = report
        self.presser = presser
        self.walker = walker
        self.targets = targets
        self.trace = trace
        self.debug = debug
        self.find_path = find_path
        self.rng = rng
        self.done = False
        """Whether the replay is over, well or not."""
        self._change_state = change_state

    def change(self, state: str, view: ObservationView, *, won: str) -> None:
        """Go over to another state at once."""
        self._change_state(state, view, won)

    def leave(self, view: ObservationView, *, won: str) -> None:
        """End the present state: back to the route if that was left, else on along it.

        Args:
            won: The condition that decided it, for the recording.
        """
        self.change(self.memory.way_back(), view, won=won)

    def walk_to(self, view: ObservationView, point: PlanPoint, *, radius: float = 0.0) -> bool:
        """Walk straight to a place on the plan; True if it is there, and then nothing is pushed.

        Args:
            radius: Metres that are near enough; by default `moving.arrival` of the settings.
        """
        near = radius or self.settings.moving.arrival
        return self.walker.approach(view, point, ("to", point), radius=near)

    def walk(self, view: ObservationView, heading: float, speed: float = 1.0) -> None:
        """Walk towards a heading of the plan, 0 … 1 of full speed."""
        self.walker.walk(view, (speed * math.cos(heading), speed * math.sin(heading)))

    def press(self, key: Key, *, every: int = 0) -> None:
        """Press a button once; with `every` once in so many frames, if called in each frame."""
        if every:
            self.presser.mash(key, every)
        else:
            self.presser.press(bits_of(key))

    def hold(self, key: Key) -> None:
        """Hold a button down in this frame."""
        self.presser.hold(bits_of(key))

    def log(self, text: str) -> None:
        """Write a line into the recording's log, in the channel `replay`."""
        self.trace.log(text)

    def free(self, view: ObservationView) -> bool:
        """Whether the pad moves the player."""
        seen = view.seen
        return not (seen.message or seen.screen or seen.dead or self.events.skipping)

    def finish(self) -> None:
        """The replay has come to its good end."""
        self.done = True
        self.report.finished = True

    def fail(self, kind: Kind, reason: str, traceback: str = "") -> None:
        """Give up the replay. It is reported as a failed check."""
        if self.done:
            return
        if self.debug.rescue(kind, reason):
            self._begin_again()
            return
        self.done = True
        row, state, route = self.memory.row, self.memory.state, self.route
        message = (
            f"the replay of {route.name} failed at row {row} of {route.count} in {state}: {reason}"
        )
        frame = self.report.frames
        self.report.failure = ReplayFailure(kind, message, row, state, frame, traceback)

    def _begin_again(self) -> None:
        """A debug function has changed something: all that was tried here is tried again."""
        memory = self.memory
        memory.attempts, memory.stuck_at = 0, -1
        memory.push(memory.row)
        self.walker.forget()
