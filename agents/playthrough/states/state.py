"""What every state of the agent is."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..observation_view import ObservationView
    from ..playthrough_agent import PlaythroughAgent


class State(ABC):
    """One state; entered anew it is made anew."""

    name = ""

    def __init__(self, agent: "PlaythroughAgent", sight: "ObservationView") -> None:
        self.frames = 0
        """Since it was entered."""

    @abstractmethod
    def step(self, agent: "PlaythroughAgent", sight: "ObservationView") -> bool:
        """Use the hands for one frame; True if it is to be asked at once what comes next."""
