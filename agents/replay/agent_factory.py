"""Creates the playthrough agent for each demo that is replayed."""

from random import Random

from ...games.playable_interface import Observation
from ...playback.pads.pad import Pad
from ..playthrough.ordered_agent_states import PlaythroughAgentStates
from ..playthrough.playthrough_agent import PlaythroughAgent
from ..playthrough.playthrough_settings import AgentSettings
from .agent_interface import AgentFactory, AgentSpec, ReplayAgent


class PlaythroughReplayAgent:
    """The playthrough agent on one demo."""

    def __init__(
        self, part: AgentSpec, settings: AgentSettings, states: PlaythroughAgentStates
    ) -> None:
        self._agent = PlaythroughAgent(
            part.demo.demo, settings, instruments=part.instruments, agent=part.player,
            rng=Random(part.seed), clock=part.clock, states=states,
            conventions=part.conventions, sticks=part.sticks, debug=part.debug,
            find_path=part.find_path,
        )  # fmt: skip

    @property
    def done(self) -> bool:
        return self._agent.done

    @property
    def failure(self) -> str:
        failure = self._agent.failure
        return "" if failure is None else failure.message

    @property
    def traceback(self) -> str:
        failure = self._agent.failure
        return "" if failure is None else failure.traceback

    @property
    def row(self) -> int:
        return self._agent.row

    @property
    def progress(self) -> float:
        return self._agent.progress

    @property
    def state(self) -> str:
        return self._agent.step_state

    @property
    def recoveries(self) -> int:
        return self._agent.report.recoveries

    @property
    def transitions(self) -> int:
        return sum(self._agent.report.transitions.values())

    @property
    def notes(self) -> tuple[str, ...]:
        report = self._agent.report
        return (
            *(f"never came to {item}" for item in report.ignored_items),
            *(f"gave up on {enemy}" for enemy in report.pardoned),
            *(f"event {event} is not in the demo" for event in report.surprises),
            *(f"event {event} was not seen" for event in report.unseen),
            *(f"event {renamed}" for renamed in report.renamed),
            *(f"went back to {redone}" for redone in report.redone),
            *(f"debug function {call}" for call in report.debug_calls),
        )

    def step(self, seen: Observation) -> Pad:
        return self._agent.step(seen)


def playthrough(
    settings: AgentSettings, states: PlaythroughAgentStates | None = None
) -> AgentFactory:
    """Makes playthrough agents with these settings, and these states or the usual ones.

    Raises:
        AgentError: the states don't fit together.
    """
    used = PlaythroughAgentStates() if states is None else states

    def make(part: AgentSpec) -> ReplayAgent:
        return PlaythroughReplayAgent(part, settings, used)

    return make
