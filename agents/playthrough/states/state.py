"""What every state of the agent is."""

from abc import ABC, abstractmethod

from ..agent_context import AgentContext
from ..observation_view import ObservationView


class State(ABC):
    """One state; entered anew it is made anew."""

    name = ""

    def __init__(self, context: AgentContext, view: ObservationView) -> None:
        self.frames = 0
        """Since it was entered."""

    @abstractmethod
    def step(self, context: AgentContext, view: ObservationView) -> bool:
        """Use the hands for one frame; True if it is to be asked at once what comes next."""
