"""Reads behaviour trees from the XML of Groot2 and BehaviorTree.CPP 4."""

from typing import NamedTuple
from xml.etree import ElementTree
from xml.parsers import expat

from ...errors import CommandError
from ...recorder.packets.trace_types import TreeNode

_MOST_NODES = 100_000
_MEMORY = "with memory"
_KINDS = {
    "Fallback": ("selector", _MEMORY), "ReactiveFallback": ("selector", ""),
    "AsyncFallback": ("selector", _MEMORY),
    "Sequence": ("sequence", _MEMORY), "ReactiveSequence": ("sequence", ""),
    "SequenceWithMemory": ("sequence", _MEMORY), "AsyncSequence": ("sequence", _MEMORY),
}  # fmt: skip
_INEXACT = {
    "SequenceWithMemory": "goes on after a failure where it failed; read as one that begins again",
    "AsyncFallback": "lets others run between its children; read as Fallback",
    "AsyncSequence": "lets others run between its children; read as Sequence",
}
_DECORATORS = {
    "Inverter": "py_trees.decorators.Inverter", "RunOnce": "py_trees.decorators.OneShot",
    "ForceSuccess": "py_trees.decorators.FailureIsSuccess",
    "ForceFailure": "py_trees.decorators.SuccessIsFailure",
    "Repeat": "py_trees.decorators.Repeat", "RetryUntilSuccessful": "py_trees.decorators.Retry",
    "Timeout": "py_trees.decorators.Timeout",
}  # fmt: skip
_SETTINGS = {"num_cycles": "num_success", "num_attempts": "num_failures", "msec": "duration"}
_LEAVES = {
    "AlwaysSuccess": "py_trees.behaviours.Success", "AlwaysFailure": "py_trees.behaviours.Failure",
}  # fmt: skip
_CUSTOM = {"Action": "action", "Condition": "condition", "Decorator": "decorator",
           "Control": "control"}  # fmt: skip
_OWN = frozenset(("ID", "name", "num_cycles", "num_attempts", "msec", "success_count",
                  "failure_count"))  # fmt: skip


class GrootTree(NamedTuple):
    """A tree that was read."""

    name: str
    nodes: tuple[TreeNode, ...]
    unmapped: list[str]
    """What was left out or read as something near it, a line for each thing."""


def read_groot(xml: str | bytes, tree: str | None = None) -> GrootTree:
    """The nodes of a tree, those of its subtrees included.

    Args:
        tree: Which one; by default the file's main one, or its only one.

    Raises:
        CommandError: it is no such file, or it has no such tree.
    """
    return _Import(_parsed(xml)).tree(tree)


def _parsed(xml: str | bytes) -> ElementTree.Element:
    def refuse(*_: object) -> None:
        raise CommandError("it declares a document type, which is not read")

    try:
        check = expat.ParserCreate()
        check.StartDoctypeDeclHandler = refuse
        check.Parse(xml, True)
        root = ElementTree.fromstring(xml)
    except (expat.ExpatError, ElementTree.ParseError, ValueError) as error:
        raise CommandError(f"it is no XML: {error}") from None
    if root.tag != "root" or root.find("BehaviorTree") is None:
        raise CommandError(f"a <root> with a <BehaviorTree> is expected, and it is a <{root.tag}>")
    return root


class _Import:
    def __init__(self, root: ElementTree.Element) -> None:
        self._root = root
        self._trees: dict[str, ElementTree.Element] = {}
        self._unmapped: dict[str, None] = {}
        for element in root.iter("BehaviorTree"):
            id = element.get("ID", "")
            if id in self._trees:
                raise CommandError(f"there are two trees with the ID {id!r}")
            self._trees[id] = element
        self._kinds = {
            element.get("ID", ""): _CUSTOM[element.tag]
            for model in root.iter("TreeNodesModel")
            for element in model
            if element.tag in _CUSTOM
        }
        if root.get("BTCPP_format", "4") != "4":
            found = root.get("BTCPP_format")
            self._unmapped[f"format {found!r} is read as if it were 4"] = None

    def tree(self, wanted: str | None) -> GrootTree:
        names = ", ".join(map(repr, self._trees))
        if wanted is None:
            wanted = self._root.get("main_tree_to_execute")
        if wanted is None and len(self._trees) == 1:
            (wanted,) = self._trees
        if wanted is None or wanted not in self._trees:
            raise CommandError(f"tree {wanted!r}: it has the trees {names}: name one of them")
        nodes: list[TreeNode] = []
        waiting: list[tuple[ElementTree.Element, int, tuple[str, ...]]] = [
            (child, -1, (wanted,)) for child in reversed(self._trees[wanted])
        ]
        while waiting:
            element, parent, within = waiting.pop()
            if len(nodes) >= _MOST_NODES:
                raise CommandError(f"the tree has more than {_MOST_NODES:,} nodes")
            nodes.append(self._node(element, parent))
            index, inside = len(nodes) - 1, list(element)
            if element.tag == "SubTree":
                id = element.get("ID", "")
                if id not in self._trees:
                    raise CommandError(f"subtree {id!r}: it has the trees {names}")
                if id in within:
                    path = " > ".join((*within, id))
                    raise CommandError(f"subtree {id!r} is below itself: {path}")
                within, inside = (*within, id), list(self._trees[id])
            waiting += [(child, index, within) for child in reversed(inside)]
        if not nodes:
            raise CommandError(f"tree {wanted!r} has no nodes")
        return GrootTree(wanted, tuple(nodes), list(self._unmapped))

    def _node(self, element: ElementTree.Element, parent: int) -> TreeNode:
        tag = element.tag
        id = element.get("ID", tag)
        name = element.get("name", id)
        for key in element.attrib:
            if key not in _OWN:
                what = "condition or script" if key.startswith("_") else "port"
                self._unmapped[f"{name}: the {what} {key}={element.get(key)!r} is left out"] = None
        if tag in _INEXACT:
            self._unmapped[f"{name}: {tag} {_INEXACT[tag]}"] = None
        if tag in _KINDS:
            kind, detail = _KINDS[tag]
            return TreeNode(name, kind, parent, "", detail)
        if tag in ("Parallel", "ParallelAll"):
            return TreeNode(name, "parallel", parent, "", self._policy(element, name))
        if tag in _DECORATORS:
            return TreeNode(name, "decorator", parent, _DECORATORS[tag], self._setting(element))
        if tag in _LEAVES:
            return TreeNode(name, "action", parent, _LEAVES[tag])
        if tag == "SubTree":
            return TreeNode(name, "subtree", parent)
        kind = _CUSTOM.get(tag) or self._kinds.get(tag) or ""
        if not kind:
            kind = "control" if len(element) > 1 else "decorator" if len(element) else "action"
            self._unmapped[f"{name}: {tag} is unknown: read as a custom {kind} node"] = None
        return TreeNode(name, kind, parent, id)

    def _policy(self, element: ElementTree.Element, name: str) -> str:
        count, failures = element.get("success_count", "-1"), element.get("failure_count", "1")
        if failures != "1" or count not in ("-1", "1", str(len(element))):
            self._unmapped[
                f"{name}: ends after {count} successes or {failures} failures: read as one that"
                f" {'ends with the first success' if count == '1' else 'waits for all'}"
            ] = None
        return "SuccessOnOne" if count == "1" and len(element) > 1 else "SuccessOnAll"

    def _setting(self, element: ElementTree.Element) -> str:
        for key, ours in _SETTINGS.items():
            text = element.get(key)
            if text is None:
                continue
            try:
                number = float(text)
            except ValueError:  # the name of an entry of the blackboard
                self._unmapped[
                    f"{element.get('name', element.tag)}: {key}={text!r} is left out"
                ] = None
                continue
            return f"{ours}={number / 1000 if key == 'msec' else int(number)!r}"
        return ""
