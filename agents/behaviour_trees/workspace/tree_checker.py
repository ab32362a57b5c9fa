"""Checks that a workspace's nodes form trees, and finds nodes that can't have an effect."""

from collections.abc import Iterator

from ....recorder.text.name_hint import name_hint
from .workspace import Workspace
from .workspace_file_reader import WorkspaceProblem
from .workspace_items import (
    ONE_CHILD,
    CountNode,
    InnerNode,
    InverterNode,
    ParallelNode,
    SelectorNode,
    SequenceNode,
)

MOST_DEPTH = 100
MOST_NODES = 10_000
"""The most nodes of one agent; a subtree that is used several times counts each time."""
S, F, R = "success", "failure", "running"
ANY = frozenset((S, F, R))
Path = tuple[str, ...]


def check_trees(workspace: Workspace) -> None:
    """Add to the workspace's problems what is wrong with its trees."""
    _TreeChecker(workspace).check()


def path_text(path: Path) -> str:
    """A path in a tree as messages write it: `guard > fight > strike`."""
    return " > ".join(path)


class _TreeChecker:
    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.file = workspace.files["tree_structure"]
        self.leaves = {*workspace.action_nodes, *workspace.trigger_nodes}
        self.known = {*self.leaves, *workspace.nodes, *workspace.damaged_nodes}
        self.above: dict[str, str] = {}
        """For each node the one by which it was come to first; empty for where one began."""
        self.agents: dict[str, str] = {}
        """The agent of each root."""
        self.reached: set[str] = set()
        """Nodes that agents come to."""
        self.cyclic: set[str] = set()
        self._sizes: dict[str, int] = {}
        self._statuses: dict[str, frozenset[str]] = {}
        self._acts: dict[str, bool] = {}

    def check(self) -> None:
        self._check_names()
        for name, agent in self.workspace.agents.items():
            if agent.root not in self.known:
                self._complain_agent(name, "root", f"there is no node {agent.root!r}", agent.root)
            elif agent.root in self.workspace.nodes:
                self.agents.setdefault(agent.root, name)
                self._walk(agent.root)
        self.reached = set(self.above)
        # A cycle that no agent comes to is one all the same.
        for name in self.workspace.nodes:
            self._walk(name)
        if self._has_every_node():
            self._check_orphans()
        # What a node may end as is only worked out for trees that do end.
        sound = not self.cyclic and self._has_fair_depth()
        for name, node in self.workspace.nodes.items():
            if self._check_counts(name, node) and sound:
                self._check_meaning(name, node)
        if sound:
            self._check_sizes()

    def _check_names(self) -> None:
        workspace = self.workspace
        for name in workspace.nodes:
            for kind, others in (
                ("an action node", workspace.action_nodes),
                ("a trigger node", workspace.trigger_nodes),
            ):
                if name in others:
                    self._complain(name, (), f"{kind} has the same name: rename one of them")
        for name in workspace.action_nodes.keys() & workspace.trigger_nodes.keys():
            workspace.files["trigger_nodes"].complain(
                f"{name}: an action node has the same name: rename one of them", (name,)
            )

    def _walk(self, start: str) -> None:
        """Note the parent of each node, and report children that are unknown or lead back up."""
        if start in self.above:
            return
        self.above[start] = ""
        path, on_path = [start], {start}
        waiting = [enumerate(self._children(start))]
        while waiting:
            index, child = next(waiting[-1], (-1, ""))
            if index < 0:
                waiting.pop()
                on_path.discard(path.pop())
                continue
            name, key_path = path[-1], ("children", index)
            if child in on_path:
                if not {child, name} <= self.cyclic:
                    circle = (*path[path.index(child) :], child)
                    self._complain(name, key_path, f"it is its own part: {path_text(circle)}")
                self.cyclic |= {child, name}
            elif child not in self.known:
                self._complain(name, key_path, f"there is no node {child!r}", child)
            elif child in self.workspace.nodes and child not in self.above:
                self.above[child] = name
                path.append(child)
                on_path.add(child)
                waiting.append(enumerate(self._children(child)))

    def _path(self, name: str) -> Path:
        """The first path by which an agent, or else a node of its own, comes to a node."""
        path = [name]
        while above := self.above.get(path[-1]):
            path.append(above)
        agent = self.agents.get(path[-1])
        return (*([agent] if agent else []), *reversed(path))

    def _has_every_node(self) -> bool:
        """Whether no agent and no node is damaged: else what it refers to looks left alone."""
        agents = self.workspace.agents.values()
        return not self.workspace.damaged_nodes and all(one.root in self.known for one in agents)

    def _check_orphans(self) -> None:
        children = {child for node in self.workspace.nodes.values() for child in node.children}
        for name in self.workspace.nodes:
            if name not in self.reached and name not in children and self.workspace.agents:
                text = "no agent and no node refers to it: make it a child, an agent's root, or go"
                self._complain(name, (), text)

    def _check_counts(self, name: str, node: InnerNode) -> bool:
        count = len(node.children)
        if isinstance(node, ONE_CHILD) and count != 1:
            self._complain(name, ("children",), f"it has {count} children, it must have exactly 1")
            return False
        if not count:
            text = "it has no children: every leaf must be an action node or a trigger node"
            self._complain(name, ("children",), text)
            return False
        return True

    def _check_meaning(self, name: str, node: InnerNode) -> None:
        if not self.known.issuperset(node.children):
            return
        if len(node.children) == 1 and not isinstance(node, ONE_CHILD):
            self._warn(name, ("children",), "it has a single child: the child would do as well")
        if isinstance(node, ParallelNode):
            for index, child in enumerate(node.children):
                if not self._does_something(child):
                    text = f"{child!r} has no effect below a parallel, which ignores results"
                    self._warn(name, ("children", index), text)
        if isinstance(node, SelectorNode | SequenceNode):
            goes_on, never = (F, "fails") if isinstance(node, SelectorNode) else (S, "succeeds")
            for index, child in enumerate(node.children[:-1]):
                if goes_on not in self._ends(child):
                    lost = ", ".join(repr(one) for one in node.children[index + 1 :])
                    text = f"{lost} can never be reached: {child!r}, before it, never {never}"
                    self._warn(name, ("children", index + 1), text)
                    break
        if isinstance(node, CountNode):
            if node.times == 0:
                text = "a count of 0 ends at once, whatever its child does: give 1 or more"
                self._warn(name, ("times",), text)
            if node.status != "any" and node.status not in self._ends(node.children[0]):
                text = f"it never ends: {node.children[0]!r} never ends as {node.status}"
                self._warn(name, ("status",), text)

    def _check_sizes(self) -> None:
        for name, agent in self.workspace.agents.items():
            if self._size(agent.root) > MOST_NODES:
                text = f"its tree has more than {MOST_NODES:,} nodes: use subtrees less often"
                self._complain_agent(name, "root", text)

    def _has_fair_depth(self) -> bool:
        deep = [
            name
            for name, agent in self.workspace.agents.items()
            if self._depth(agent.root) > MOST_DEPTH
        ]
        for name in deep:
            text = f"its tree is more than {MOST_DEPTH} nodes deep"
            self._complain_agent(name, "root", text)
        return not deep

    def _children(self, name: str) -> tuple[str, ...]:
        node = self.workspace.nodes.get(name)
        return node.children if node is not None else ()

    def _size(self, name: str) -> int:
        if name not in self._sizes:
            self._sizes[name] = 1 + sum(map(self._size, self._children(name)))
        return self._sizes[name]

    def _depth(self, name: str) -> int:
        depth, level = 0, {name}
        while level and depth <= MOST_DEPTH:
            level = {child for one in level for child in self._children(one)}
            depth += 1
        return depth

    def _ends(self, name: str) -> frozenset[str]:
        """What a node may end a tick as."""
        if name not in self._statuses:
            self._statuses[name] = ANY
            self._statuses[name] = self._ends_of(name)
        return self._statuses[name]

    def _ends_of(self, name: str) -> frozenset[str]:
        if name in self.workspace.action_nodes:
            return frozenset((S,))
        if name in self.workspace.trigger_nodes:
            return frozenset((S, F))
        match self.workspace.nodes.get(name):
            case SelectorNode(children=children):
                return frozenset(self._in_order(children, F))
            case SequenceNode(children=children):
                return frozenset(self._in_order(children, S))
            case ParallelNode():
                return frozenset((S,))
            case InverterNode(children=(child,)):
                turned = {S: F, F: S, R: R}
                return frozenset(turned[end] for end in self._ends(child))
            case CountNode(children=(child,)) as count:
                ends = self._ends(child)
                if count.times == 0:
                    return frozenset((count.result,))
                if count.status != "any" and count.status not in ends:
                    return frozenset((R,))
                sure = count.status == "any" or ends == {count.status}
                return frozenset(
                    (count.result,) if sure and count.times == 1 else (count.result, R)
                )
        return ANY

    def _in_order(self, children: tuple[str, ...], goes_on: str) -> Iterator[str]:
        for child in children:
            ends = self._ends(child)
            yield from ends - {goes_on}
            if goes_on not in ends:
                return
        yield goes_on

    def _does_something(self, name: str) -> bool:
        """Whether a trigger is not all that there is in it."""
        if name not in self._acts:
            self._acts[name] = False
            self._acts[name] = name not in self.workspace.trigger_nodes and (
                name not in self.workspace.nodes
                or any(map(self._does_something, self._children(name)))
            )
        return self._acts[name]

    def _complain(
        self, name: str, key_path: tuple[str | int, ...], text: str, unknown: str = "",
        warning: bool = False,
    ) -> None:  # fmt: skip
        path = path_text(self._path(name))
        hint = f": {name_hint(unknown, self.known)}" if unknown else ""
        self.file.complain(f"{path}: {text}{hint}", ("nodes", name, *key_path), warning=warning)

    def _warn(self, name: str, key_path: tuple[str | int, ...], text: str) -> None:
        self._complain(name, key_path, text, warning=True)

    def _complain_agent(self, name: str, field: str, text: str, unknown: str = "") -> None:
        hint = f": {name_hint(unknown, self.known)}" if unknown else ""
        self.file.complain(f"agent {name!r}: {text}{hint}", ("agents", name, field))


def problems_text(problems: list[WorkspaceProblem]) -> str:
    """Problems as text, one a line."""
    return "\n".join(problem.text for problem in problems)
