"""Records the ticks of a workspace's agent with all that they depend on."""

from collections.abc import Mapping
from typing import Any

import msgspec
from py_trees.behaviour import Behaviour

from ...games.tree_body_interface import Place, TreeValue
from ...recorder.statements.instrumentation_interface import Instrumentation
from .paths.path_follower import State
from .tree_builder import keys_written
from .workspace.workspace import Workspace
from .workspace_tick_reexecution import (
    ANSWERS,
    COUNTS,
    WayAnswer,
    counts_of,
    maker_of,
    nodes_below,
    written_by,
)


class TreeDecisionWriter:
    """Records the ticks of one agent.

    Args:
        object: The id of whom it drives.
    """

    def __init__(
        self, instruments: Instrumentation, object: int, workspace: Workspace, agent: str
    ) -> None:
        self._instruments, self._object, self._agent = instruments, object, agent
        self._maker = maker_of(workspace, agent)
        self._written = keys_written(workspace)
        self._nodes: list[Behaviour] = []
        self._inputs: dict[str, Any] = {}
        self._answers: list[WayAnswer] = []

    def begin(self, entries: dict[str, TreeValue], root: Behaviour) -> None:
        """A tick begins, with this on the blackboard."""
        if not self._nodes:
            self._nodes = list(nodes_below(root))
        counts = counts_of(self._nodes)
        self._inputs = {**entries, COUNTS: counts} if counts else entries
        self._answers = []

    def answered(
        self, goal: Place, state: State, *, asks: str = "",
        written: Mapping[str, float] | None = None,
    ) -> None:  # fmt: skip
        """A leaf was answered about a way; see `WayAnswer`."""
        self._answers.append(WayAnswer(tuple(goal), state, asks, dict(written or {})))

    def end(self, commands: Mapping[str, float], entries: Mapping[str, TreeValue]) -> None:
        """The tick has ended."""
        inputs = self._inputs
        if self._answers:
            inputs = {**inputs, ANSWERS: [msgspec.to_builtins(one) for one in self._answers]}
        outcome: dict[str, Any] = dict(commands)
        outcome.update(written_by(self._written, inputs, entries.get))
        self._instruments.trace.decision(
            self._object, self._agent, inputs, outcome=outcome, maker=self._maker
        )
