"""The base class of the agent's states."""

from abc import ABC, abstractmethod

from ..agent_context import AgentContext
from ..observation_view import ObservationView


class State(ABC):
    """One state; each time that it is entered a new object is made."""

    name = ""

    def __init__(self, context: AgentContext, view: ObservationView) -> None:
        self.frames = 0
        """Since it was entered."""

    @abstractmethod
    def step(self, context: AgentContext, view: ObservationView) -> bool:
        """Press what this frame needs; True if the transitions are to be checked again at once."""
