"""Runs an agent of a workspace: reads its body, ticks its tree, sends its body commands."""

import math
from collections.abc import Callable, Mapping
from typing import Any, Self

from py_trees.blackboard import Blackboard, Client
from py_trees.common import Access, Status
from py_trees.trees import BehaviourTree

from ...errors import TreeError
from ...games.tree_body_interface import Place, TreeBody, TreeValue
from ...recorder.statements.instrumentation_interface import Instrumentation
from .built_in_keys import BUILT_IN
from .paths.path_client import PathClient
from .paths.path_follower import PathFollower, State
from .tree_builder import build_tree, clamped, keys_of
from .tree_decision_writer import TreeDecisionWriter
from .workspace.workspace import Workspace


class TreeAgent:
    """Drives a body by a tree, a tick a step. Close it, or use it as a context manager.

    A leaf that raises is noted in `failures`, and the agent goes on: a trigger has failed, an
    action has succeeded without having done anything more.

    Args:
        name: One of the workspace's agents.
        is_strict: An error in a leaf ends the agent.
        answer_after: See `PathFollower`.
        on_failure: Called with each error in a leaf.

    Raises:
        TreeError: there is no such agent, or it can't be built.
    """

    def __init__(
        self, workspace: Workspace, name: str, body: TreeBody, *, is_strict: bool = False,
        answer_after: float | None = None, on_failure: Callable[[str], object] = lambda text: None,
    ) -> None:  # fmt: skip
        self.workspace, self.name, self.body = workspace, name, body
        self.failures: dict[str, int] = {}
        """What went wrong in leaves, each with its path in the tree, and how often."""
        self._is_strict, self._on_failure = is_strict, on_failure
        start = workspace.agents[name].start if name in workspace.agents else {}
        self.keys = keys_of(workspace, name)
        self._sorted_keys = sorted(self.keys)
        self.namespace = _free_namespace(name)
        self._blackboard = Client(name=f"{name} itself", namespace=self.namespace)
        for key in (*workspace.formats, *start, *BUILT_IN):
            self._blackboard.register_key(key, Access.WRITE)
        self._commands: dict[str, float] = {}
        self._now = self._still_since = 0.0
        self._last_place: Place = body.position
        self._ticks = 0
        self._goal: Place | None = None
        self._going = False
        self._decisions: TreeDecisionWriter | None = None
        self._paths: PathClient | None = None
        self.tree: BehaviourTree | None = None
        try:
            self._write({**BUILT_IN, **start})
            self.tree = BehaviourTree(build_tree(workspace, name, self))
        except BaseException:
            self.close()
            raise
        walk_map = workspace.walk_map or body.walk_map() if self._looks_for_ways() else None
        self._cell = walk_map.cell if walk_map is not None else 1.0
        if walk_map is not None:
            self._paths = PathClient(walk_map)
        self.ways = PathFollower(self._paths, self._cell, answer_after)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def status(self) -> Status:
        """How the newest tick ended."""
        assert self.tree is not None
        status: Status = self.tree.root.status
        return status

    @property
    def commands(self) -> Mapping[str, float]:
        """What was given in the newest tick."""
        return self._commands

    def value(self, key: str) -> TreeValue:
        """What a key of the blackboard is.

        Raises:
            KeyError: it is not there.
        """
        found: TreeValue = Blackboard.get(f"{self.namespace}/{key}")
        return found

    def record(self, instruments: Instrumentation) -> None:
        """Record each tick with all that it depends on, so that it can be made again."""
        instruments.fact(self.body.object, DRIVEN, self.name)
        self._decisions = TreeDecisionWriter(
            instruments, self.body.object, self.workspace, self.name
        )  # fmt: skip

    def step(self, dt: float) -> None:
        """One tick, for the step of `dt` seconds that comes next.

        Raises:
            TreeError: the agent is strict, and a leaf raised an error.
        """
        assert self.tree is not None, "the agent is closed"
        self._ticks += 1
        self._commands = {}
        self._going = False
        self._observe()
        decisions = self._decisions
        if decisions is not None:
            decisions.begin(self._entries(), self.tree.root)
        self.tree.tick()
        if decisions is not None:
            decisions.end(self._commands, self._entries())
        if not self._going:
            self._goal = None
            self.ways.forget()
            self._blackboard.set("way", "none")
        self.body.act(self._commands)
        self._now += dt

    def close(self) -> None:
        """Let the body go; more than once does no harm."""
        if self._paths is not None:
            self._paths.close()
        self._blackboard.unregister()
        if self.tree is not None:
            for node in self.tree.root.iterate():
                for client in node.blackboards:
                    client.unregister()
            self.body.release()
        for key in [key for key in Blackboard.storage if key.startswith(f"{self.namespace}/")]:
            Blackboard.storage.pop(key)
        self.tree = None

    # --- what leaves do -------------------------------------------------------------------------

    def give(self, commands: Mapping[str, float]) -> None:
        known = self.workspace.commands
        for name, value in commands.items():
            self._commands[name] = clamped(name, value, known[name])

    def go_to(self, goal: Place) -> State:
        here = self.body.position
        other = self._goal if self._going else None
        if other is not None and math.dist(other[:2], goal[:2]) > self._cell:
            raise TreeError(f"a way to another place was looked for in the same tick: {other}")
        self._goal, self._going = goal, True
        way = self.ways.go(here, goal, self._now, self._now - self._still_since)
        ahead = way.ahead or here
        heading = math.atan2(ahead[1] - here[1], ahead[0] - here[0]) if way.ahead else 0.0
        known = {
            "way_heading": heading,
            "way_bearing": _turned(heading - self.body.facing) if way.ahead else 0.0,
            "way_distance": math.dist(ahead[:2], here[:2]),
            "goal_distance": math.dist(goal[:2], here[:2]),
        }
        self._write({"way": way.state, **known})
        if self._decisions is not None:
            self._decisions.answered(goal, way.state, written=known)
        return way.state

    def is_reachable(self, key: str, goal: Place) -> State:
        state = self.ways.is_reachable(key, self.body.position, goal, self._now)
        if self._decisions is not None:
            self._decisions.answered(goal, state, asks=key)
        return state

    def failed(self, path: str, error: Exception) -> str:
        reason = str(error) if isinstance(error, TreeError) else f"it raised {error!r:.160}"
        text = f"{path}: {reason}"
        if self._is_strict:
            raise TreeError(text) from error
        first = text not in self.failures
        self.failures[text] = self.failures.get(text, 0) + 1
        if first:
            self._on_failure(text)
        return f"error: {reason}"

    # --- what is read ---------------------------------------------------------------------------

    def _observe(self) -> None:
        observed = self.body.observe()
        values: dict[str, TreeValue] = {}
        for key, one in self.workspace.formats.items():
            source = one.source or key
            value = observed.get(source)
            if value is None and one.default is not None:
                value = one.default
            if value is not None or source in observed:
                values[key] = value
            elif self._blackboard.exists(key):
                self._blackboard.unset(key)
        here = self.body.position
        if math.dist(here[:2], self._last_place[:2]) > 0.5 * self._cell:
            self._last_place, self._still_since = here, self._now
        values |= {"tick": self._ticks, "time": self._now}
        self._write({**values, "still": self._now - self._still_since})

    def _entries(self) -> dict[str, TreeValue]:
        """All that is on its blackboard."""
        storage, namespace = Blackboard.storage, self.namespace
        found = ((key, storage.get(f"{namespace}/{key}", _MISSING)) for key in self._sorted_keys)
        return {key: value for key, value in found if value is not _MISSING}

    def _write(self, values: dict[str, TreeValue]) -> None:
        for key, value in values.items():
            self._blackboard.set(key, value)

    def _looks_for_ways(self) -> bool:
        assert self.tree is not None
        names = {node.name for node in self.tree.root.iterate()}
        actions, triggers = self.workspace.action_nodes, self.workspace.trigger_nodes
        goes = any(actions[name].goal for name in names & actions.keys())
        return goes or any(triggers[name].reachable for name in names & triggers.keys())


_MISSING: Any = object()
DRIVEN = "tree agent"
"""The fact of an object that an agent drives: its name. The viewer opens on such an object."""


def _turned(angle: float) -> float:
    return math.remainder(angle, math.tau)


def _free_namespace(name: str) -> str:
    """An unused part of the blackboard, which is one for the whole process."""
    plain = "".join(letter if letter.isalnum() else "_" for letter in name)
    number, namespace = 1, f"/{plain}"
    while any(key.startswith(f"{namespace}/") for key in Blackboard.metadata):
        number += 1
        namespace = f"/{plain}_{number}"
    return namespace
