"""The scope of a question about decisions: an agent and a range of frames."""

from typing import NamedTuple

from ...recorder.reading.frame_source import FrameSource
from ..objects.object_lookup import shown_name_at
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
        """What the agent is called; empty if that can't be read, or nothing is called so."""
        with self.damage.skipping(self.last):
            return shown_name_at(self.source, self.last, self.agent)
        return ""
