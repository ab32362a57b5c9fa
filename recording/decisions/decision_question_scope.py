"""The scope of a question about decisions: an agent and a range of frames."""

from typing import NamedTuple

from ...recorder.reading.frame_source import FrameSource
from ..recording_damage import DamageLog


class AgentRange(NamedTuple):
    """The agent and the frames that a question is about."""

    source: FrameSource
    agent: int
    first: int
    last: int
    damage: DamageLog

    @property
    def name(self) -> str:
        """What the agent is called."""
        return self.source.names(self.last).get(self.agent, "")
