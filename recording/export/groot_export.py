"""A recorded behaviour tree as the XML of Groot2 and BehaviorTree.CPP 4."""

import re
from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree

from ...recorder.packets.trace_types import TreeNode

FORMAT = "4"
_MEMORY = "with memory"
_COMPOSITES = {
    ("selector", True): "Fallback", ("selector", False): "ReactiveFallback",
    ("sequence", True): "Sequence", ("sequence", False): "ReactiveSequence",
}  # fmt: skip
_DECORATORS = {
    "Inverter": "Inverter", "FailureIsSuccess": "ForceSuccess", "SuccessIsFailure": "ForceFailure",
    "OneShot": "RunOnce",
}  # fmt: skip
_LEAVES = {"Success": "AlwaysSuccess", "Failure": "AlwaysFailure"}
_PY_TREES = "py_trees."
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML can't hold."""


class GrootFile(NamedTuple):
    """A tree in that format."""

    xml: str
    unmapped: list[str]
    """What the format can't say, a line for each thing."""


def groot_of(name: str, nodes: Sequence[TreeNode]) -> GrootFile:
    """The XML of a tree. Nodes of the program's own become custom ones, listed as a model."""
    return _Export(name, nodes).file()


class _Export:
    def __init__(self, name: str, nodes: Sequence[TreeNode]) -> None:
        self._name, self._nodes = name, nodes
        self._unmapped: dict[str, None] = {}
        self._model: dict[tuple[str, str], None] = {}

    def file(self) -> GrootFile:
        id = self._text(self._name) or "tree"
        root = ElementTree.Element("root", BTCPP_format=FORMAT, main_tree_to_execute=id)
        tree = ElementTree.SubElement(root, "BehaviorTree", ID=id)
        made: list[ElementTree.Element] = []
        for index, node in enumerate(self._nodes):
            parent = made[node.parent] if 0 <= node.parent < index else tree
            made.append(self._element(index, node, parent))
        if len(tree) > 1:
            self._unmapped[f"{len(tree)} roots: Groot2 shows a tree with one"] = None
        model = ElementTree.SubElement(root, "TreeNodesModel")
        for kind, custom in self._model:
            ElementTree.SubElement(model, kind, ID=custom)
        ElementTree.indent(root)
        xml = ElementTree.tostring(root, encoding="unicode", xml_declaration=False)
        return GrootFile(f'<?xml version="1.0" encoding="UTF-8"?>\n{xml}\n', list(self._unmapped))

    def _element(
        self, index: int, node: TreeNode, parent: ElementTree.Element
    ) -> ElementTree.Element:
        tag, attributes = self._tag(index, node)
        return ElementTree.SubElement(parent, tag, {**attributes, "name": self._text(node.name)})

    def _tag(self, index: int, node: TreeNode) -> tuple[str, dict[str, str]]:
        kind = "selector" if node.kind == "fallback" else node.kind
        own = node.type.rpartition(".")[2]
        if (kind, True) in _COMPOSITES:
            return _COMPOSITES[kind, _MEMORY in node.detail], {}
        if kind == "parallel":
            return "Parallel", self._counts(node)
        is_known = node.type.startswith(_PY_TREES)
        if kind == "decorator":
            if is_known and own in _DECORATORS:
                return _DECORATORS[own], {}
            found = re.search(r"(num_success|num_failures|duration)=(-?[\d.e+]+)", node.detail)
            if is_known and found is not None:
                number = float(found[2])
                match own, found[1]:
                    case "Repeat", "num_success":
                        return "Repeat", {"num_cycles": f"{number:.0f}"}
                    case "Retry", "num_failures":
                        return "RetryUntilSuccessful", {"num_attempts": f"{number:.0f}"}
                    case "Timeout", "duration":
                        return "Timeout", {"msec": f"{1000 * number:.0f}"}
            return self._custom("Decorator", own, node)
        if is_known and own in _LEAVES:
            return _LEAVES[own], {}
        has_children = any(other.parent == index for other in self._nodes[index + 1 :])
        if has_children:
            return self._custom("Control", own, node)
        return self._custom("Condition" if kind == "condition" else "Action", own, node)

    def _counts(self, node: TreeNode) -> dict[str, str]:
        """After how many ends of children a parallel node ends."""
        if "SuccessOnSelected" in node.detail:
            self._unmapped[
                f"{node.name}: a parallel node that waits for some of its children: waits for all"
            ] = None
        count = "1" if "SuccessOnOne" in node.detail else "-1"
        return {"success_count": count, "failure_count": "1"}

    def _custom(self, kind: str, own: str, node: TreeNode) -> tuple[str, dict[str, str]]:
        id = re.sub(r"[^\w]+", "_", own or node.name).strip("_") or kind.lower()
        self._model[kind, id] = None
        if kind in ("Decorator", "Control"):
            self._unmapped[
                f"{id}: Groot2 has no such {kind.lower()} node: it is a custom one, which a program"
                " has to register"
            ] = None
        return kind, {"ID": id}

    def _text(self, text: str) -> str:
        safe = _UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
        if safe != text:
            self._unmapped[f"{text!a}: XML can't hold some of its characters: {safe}"] = None
        return safe
