"""Records a py_trees behaviour tree: the status of each node at each tick, and its definition."""

import logging
import sys
from collections.abc import Callable, Iterator
from itertools import compress, repeat
from operator import attrgetter, is_, is_not
from typing import TYPE_CHECKING, Any

from ...hooks.decision_hook_table import HookTable
from ...recorder.packets.trace_types import TreeTick
from ...recorder.packets.tree_tick_packets import FAILURE, KEPT, NAMES, RUNNING, SUCCESS
from ...recorder.recorder import Recorder
from ...recorder.statements.statement_messages import TreeTickStatement
from ...recorder.text.safe_text import safe_text
from .blackboard_watch import BlackboardWatch, cut_text
from .tree_definition import definition_of, nodes_in_order

if TYPE_CHECKING:
    from .node_breakpoints_and_overrides import TreeHooks


def is_tree(thing: Any) -> bool:
    """Whether something is a tree of py_trees, or a behaviour that can be the root of one."""
    trees, behaviours = (sys.modules.get(f"py_trees.{name}") for name in ("trees", "behaviour"))
    return (trees is not None and isinstance(thing, trees.BehaviourTree)) or (
        behaviours is not None and isinstance(thing, behaviours.Behaviour)
    )


class TreeObserver:
    """Records each tick of a tree.

    The root's `tick` is replaced by one that does the same; of a `BehaviourTree` that of whatever
    is its root by then. Nodes may come, go and move: the definition follows.

    Args:
        tree: The tree, or its root.
        agent: The id of whose tree it is; 0 for the world.
        name: What the tree is called.
        hooks: Where hooks on its nodes are set.

    Raises:
        RecordingError: a node is below itself.
    """

    def __init__(
        self, tree: Any, recorder: Recorder, agent: int, name: str,
        hooks: HookTable | None = None,
    ) -> None:  # fmt: skip
        self.tree, self.agent, self.name = tree, agent, name
        self._recorder = recorder
        self._writer = recorder.tree_writer(agent, name)
        self._board = BlackboardWatch(self._report_value)
        self._is_defined = False
        self._nodes: list[Any] = []
        """As they were defined."""
        self._index: dict[int, int] = {}
        """Each node's index, by its `id`."""
        self._strangers: dict[int, Any] = {}
        """Nodes that were ticked and are not in the tree, by their `id`."""
        self._names: list[Any] = []
        self._parents: list[Any] = []
        """The nodes that have children, …"""
        self._children: list[list[Any]] = []
        """… and copies of these."""
        self._visited: list[Any] = []
        """The nodes that were ticked last, in order, …"""
        self._seen: list[Any] = []
        """… and the status of each one right then: a parent may have stopped it since."""
        self._positions: list[int] = []
        self._ran: list[int] = []
        """Places of those of them that were running."""
        status = sys.modules["py_trees.common"].Status
        self._is_running, self._is_invalid = status.RUNNING, status.INVALID
        # By address: hashing a member of an enum takes as long as ticking a node.
        self._code_of = {
            id(status.SUCCESS): SUCCESS, id(status.FAILURE): FAILURE, id(status.RUNNING): RUNNING
        }  # fmt: skip
        self._kept_of = {address: KEPT + code for address, code in self._code_of.items()}
        self._codes = b""
        self._running: list[int] = []
        """Places of the nodes that were running after the tick before."""
        self._messages: list[Any] = []
        """The feedback of each node, as it was last, …"""
        self._feedback: list[Any] = []
        """… and of those that were ticked last."""
        self._reasons: dict[int, str] = {}
        self._undo: Callable[[], object] = lambda: None
        self._root_tick: Callable[[], Iterator[Any]] | None = None
        """What is ticked instead of the root, while a hook is on it."""
        self._hooks: TreeHooks | None = None
        self._board.follow(nodes_in_order(self.root)[0])
        if hasattr(tree, "pre_tick_handlers"):
            tree.pre_tick_handlers.append(self._follow_root)
        self._watch_root(self.root)
        if hooks is not None:
            self._hooks = self._hookable(hooks)

    def _hookable(self, hooks: HookTable) -> "TreeHooks":
        from .node_breakpoints_and_overrides import (
            TreeHooks,  # which imports py_trees: it is there by now
        )

        def set_root_tick(tick: Callable[[], Iterator[Any]] | None) -> None:
            self._root_tick = tick

        return TreeHooks(
            hooks, self.agent, self.name, nodes=lambda: nodes_in_order(self.root)[0],
            values=lambda: self._board.values, set_root_tick=set_root_tick,
        )  # fmt: skip

    @property
    def root(self) -> Any:
        """The root as it is now."""
        return getattr(self.tree, "root", self.tree)

    def define_again(self) -> None:
        """Define the tree again: its definition ended with its agent."""
        self._is_defined = False

    def close(self) -> None:
        """Leave the tree as it was."""
        if hasattr(self.tree, "pre_tick_handlers") and (
            self._follow_root in self.tree.pre_tick_handlers
        ):
            self.tree.pre_tick_handlers.remove(self._follow_root)
        if self._hooks is not None:
            self._hooks.close()
        undo, self._undo = self._undo, lambda: None
        undo()

    # --- what py_trees calls ----------------------------------------------------------------------

    def _follow_root(self, tree: Any) -> None:
        """A tick of a `BehaviourTree` begins: its root may be another one."""
        if tree.root is not self._watched_root:
            self._undo()
            self._watch_root(tree.root)

    def _watch_root(self, root: Any) -> None:
        self._watched_root = root
        own, before = root.tick, root.__dict__.get("tick")

        def tick() -> Iterator[Any]:
            visited: list[Any] = []
            seen: list[Any] = []
            board = self._board.begin()
            try:
                for node in (self._root_tick or own)():
                    visited.append(node)
                    seen.append(node.status)
                    yield node
            except BaseException as error:
                self._end(visited, seen, board, error)  # as far as it came
                raise
            self._end(visited, seen, board, None)

        def undo() -> None:
            if root.__dict__.get("tick") is tick:
                if before is None:
                    del root.tick
                else:
                    root.tick = before

        root.tick, self._undo = tick, undo

    def _end(
        self, visited: list[Any], seen: list[Any], board: Any, error: BaseException | None
    ) -> None:
        self._board.end(board)
        if not self._recorder.is_suspended:
            with self._recorder.refusing("trace"):
                self._record(visited, seen, board, error)

    # --- what is recorded of it -------------------------------------------------------------------

    def _record(
        self, visited: list[Any], seen: list[Any], board: Any, error: BaseException | None
    ) -> None:
        is_own_thread = self._recorder.open_frame()
        is_full = self._writer.is_due()
        if self._is_changed(visited, is_full=is_full):
            self._define()
            is_full = True
            self._strangers = {id(node): node for node in visited if id(node) not in self._index}
            if self._strangers:
                self._report_strangers()
        if self._strangers:
            within = [at for at, node in enumerate(visited) if id(node) in self._index]
            visited, seen = [visited[at] for at in within], [seen[at] for at in within]
        changed, accesses = self._board.changes(), self._board.accesses(board)
        feedback = list(map(_feedback_of, visited))
        is_path_new = is_full or error is not None or visited != self._visited
        if is_path_new:
            self._positions = [self._index[id(node)] for node in visited]
            self._visited, self._seen = visited, seen
            self._codes = self._statuses()
        elif seen != self._seen:
            changed_codes, code_of = bytearray(self._codes), self._code_of
            new = list(map(is_not, seen, self._seen))
            for position, status in zip(
                compress(self._positions, new), compress(seen, new), strict=True
            ):
                changed_codes[position] = code_of.get(id(status), 0)
            self._codes, self._seen = bytes(changed_codes), seen
        if seen is self._seen:
            is_running = map(is_, seen, repeat(self._is_running))
            self._ran = sorted(compress(self._positions, is_running))
        ended = self._ended_early()
        if error is not None:
            self._note_error(error, ended)
        elif ended:
            self._codes = self._statuses()
        new_reasons = self._new_reasons(feedback, ended, all=is_path_new)
        if is_own_thread and self._writer.write(
            self._codes, self._reasons, self._board.entries, new_reasons, changed, accesses,
            ended, is_full=is_full,
        ):  # fmt: skip
            return
        codes = self._codes
        self._writer.begin()  # a tick that is written completely here can't be referred to
        self._recorder.emit(TreeTickStatement(self.agent, TreeTick(
            self.name, tuple("" if code & KEPT else NAMES[code] for code in codes), ended,
            {key: self._board.entries.get(key) for key in changed}, reasons=dict(self._reasons),
            kept={n: NAMES[code & 3] for n, code in enumerate(codes) if code & KEPT},
            accesses=accesses, entries=dict(self._board.entries),
        )))  # fmt: skip

    def _is_changed(self, visited: list[Any], *, is_full: bool) -> bool:
        """Whether nodes came, went or moved; names and clients are looked at now and then."""
        if not self._is_defined or not self._recorder.has_tree(self.agent, self.name):
            return True
        if [node.children for node in self._parents] != self._children:
            return True
        if self._nodes[0] is not self._watched_root:
            return True
        if visited is not self._visited and visited != self._visited:
            index = self._index
            for node in visited:
                if id(node) not in index and id(node) not in self._strangers:
                    return True
        if is_full:
            self._board.follow(self._nodes)
            if [node.name for node in self._nodes] != self._names:
                return True
            # Leaves that have children by now.
            return sum(map(bool, [node.children for node in self._nodes])) != len(self._parents)
        return False

    def _define(self) -> None:
        nodes, parents = nodes_in_order(self._watched_root)
        self._names = [node.name for node in nodes]
        self._recorder.trace.define_tree(self.agent, self.name, definition_of(nodes, parents))
        same = nodes == self._nodes
        self._nodes, self._is_defined = nodes, True
        self._index = {id(node): position for position, node in enumerate(nodes)}
        self._parents = [node for node in nodes if node.children]
        self._children = [list(node.children) for node in self._parents]
        self._board.follow(nodes)
        self._writer.begin()
        self._visited, self._reasons, self._messages = [], {}, [""] * len(nodes)
        if not same:
            self._running = []
            if self._hooks is not None:
                self._hooks.nodes_changed()

    def _statuses(self) -> bytes:
        kept, code_of = self._kept_of.get, self._code_of
        codes = bytearray([kept(id(node.status), 0) for node in self._nodes])
        for position, status in zip(self._positions, self._seen, strict=True):
            codes[position] = code_of.get(id(status), 0)
        return bytes(codes)

    def _ended_early(self) -> dict[int, str]:
        """Nodes that ran, in the tick before or in this one, and were stopped; and why."""
        nodes, ran = self._nodes, self._ran
        if ran != self._running:
            ran = [*ran, *sorted(set(self._running).difference(ran))]
        statuses = list(map(_status_of, map(nodes.__getitem__, ran)))
        self._running = list(compress(ran, map(is_, statuses, repeat(self._is_running))))
        stopped = sorted(compress(ran, map(is_, statuses, repeat(self._is_invalid))))
        return {position: _interruption(nodes[position]) for position in stopped}

    def _note_error(self, error: BaseException, ended: dict[int, str]) -> None:
        """Say at the node where a tick was broken off why it was."""
        position, trace = 0, error.__traceback__
        while trace is not None:
            node = trace.tb_frame.f_locals.get("self")
            position = self._index.get(id(node), position)
            trace = trace.tb_next
        if isinstance(error, GeneratorExit):
            ended[position] = "the program broke off the tick here"
        else:
            ended[position] = cut_text(f"raised {type(error).__name__}: {error}")

    def _new_reasons(
        self, feedback: list[Any], ended: dict[int, str], *, all: bool
    ) -> list[int]:  # fmt: skip
        """The nodes whose feedback has changed since the last tick; of those that were ticked, as
        long as these are the same."""
        messages, reasons, new = self._messages, self._reasons, []
        if all:
            now = [node.feedback_message for node in self._nodes]
            # What is no text may change without becoming another object.
            fresh = [
                position
                for position, (message, before) in enumerate(zip(now, messages, strict=True))
                if message is not before or message.__class__ is not str
            ]
            self._messages = now
        else:
            before = self._feedback
            fresh = []
            for position, message in compress(
                zip(self._positions, feedback, strict=True), map(is_not, feedback, before)
            ):
                if message is not messages[position]:
                    messages[position] = message
                    fresh.append(position)
            for position in ended:
                messages[position] = self._nodes[position].feedback_message
                fresh.append(position)
        self._feedback = feedback
        for position in fresh:
            text = _text_of(self._messages[position])
            if text != reasons.get(position, ""):
                new.append(position)
                if text:
                    reasons[position] = text
                else:
                    del reasons[position]
        return new

    def _report_strangers(self) -> None:
        """Warn that some nodes were ticked that are not in the tree's definition."""
        names = ", ".join(repr(str(node.name)) for node in list(self._strangers.values())[:5])
        text = (
            f"the tree {self.name!r} has ticked nodes that are not in it, or left it in that tick:"
            f" {names}: what they did is not recorded"
        )
        self._recorder.faults.log("tree", self.name, text, level=logging.WARNING)
        self._recorder.faults.lost("tree", self.name, text)

    def _report_value(self, key: str, why: str) -> None:
        """Say once of an entry of the blackboard that it is not recorded as it is."""
        text = f"{key} on the blackboard of the tree {self.name!r}: {why}: it is recorded as a text"
        self._recorder.faults.log("blackboard", f"{self.name} {key}", text)
        self._recorder.faults.lost("blackboard", key, text)


_feedback_of, _status_of = attrgetter("feedback_message"), attrgetter("status")


def _text_of(feedback: Any) -> str:
    if feedback.__class__ is str:
        return cut_text(feedback)
    return "" if feedback is None else cut_text(safe_text(feedback))


def _interruption(node: Any) -> str:
    """Why a node that ran does not run any more, although it did not end."""
    below, above = node, node.parent
    while above is not None:
        chosen = getattr(above, "current_child", None)
        if above.status.name != "INVALID":
            if chosen is not None and chosen is not below:
                if chosen.status.name == "FAILURE":
                    return f"interrupted: {chosen.name} failed"
                return f"interrupted: {above.name} went on with {chosen.name}"
            return f"interrupted: {above.name} ended with {above.status.name.lower()}"
        below, above = above, above.parent
    return "interrupted"
