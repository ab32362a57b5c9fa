"""What states and conditions see of the agent: its demo, memory, body and report."""

from collections.abc import Callable
from random import Random

from .agent_memory import AgentMemory
from .button_presser import ButtonPresser
from .dialogue.event_counter import EventLog
from .engine_axes import EngineGeometry
from .observation_view import ObservationView
from .playthrough_settings import AgentSettings
from .replay_report import Kind, ReplayFailure, ReplayReport
from .route.demo_route import DemoRoute
from .route.walk_to_place import Walker
from .target_choice import TargetChooser
from .trace_writer import TraceWriter

ChangeState = Callable[[str, ObservationView, str], None]
"""Goes over to a state, for what is seen, because this condition won."""


class AgentContext:
    """One replay's parts, shared by everything that decides or acts in it.

    Args:
        change_state: Whoever owns the present state.
    """

    def __init__(
        self, *, settings: AgentSettings, geometry: EngineGeometry, route: DemoRoute,
        memory: AgentMemory, events: EventLog, report: ReplayReport, presser: ButtonPresser,
        walker: Walker, targets: TargetChooser, trace: TraceWriter, rng: Random,
        change_state: ChangeState,
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
        self.rng = rng
        self.done = False
        """Whether the replay is over, well or not."""
        self._change_state = change_state

    def change(self, state: str, view: ObservationView, *, won: str) -> None:
        """Go over to another state at once."""
        self._change_state(state, view, won)

    def free(self, view: ObservationView) -> bool:
        """Whether the pad moves the player."""
        seen = view.seen
        return not (seen.message or seen.screen or seen.dead or self.events.skipping)

    def finish(self) -> None:
        """The replay has come to its good end."""
        self.done = True
        self.report.finished = True

    def fail(self, kind: Kind, reason: str) -> None:
        """Give the replay up: said once, by a check on the player."""
        if self.done:
            return
        self.done = True
        row, state, route = self.memory.row, self.memory.state, self.route
        message = (
            f"the replay of {route.name} failed at row {row} of {route.count} in {state}: {reason}"
        )
        self.report.failure = ReplayFailure(kind, message, row, state, self.report.frames)
        self.trace.failed(message)
