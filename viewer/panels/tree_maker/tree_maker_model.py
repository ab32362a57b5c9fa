"""The tree maker without painting: the tree, what it is made of, what each edit asks for."""

from typing import Any, NamedTuple

import msgspec

NAME = "tree"
"""The name under which a game publishes the tree that is made in it, and takes edits."""
INNER = ("selector", "sequence", "parallel", "inverter", "count")


class TreeOutlineNode(msgspec.Struct, frozen=True):
    """A node of the tree, from its root down."""

    name: str
    kind: str
    depth: int
    parent: str = ""
    index: int = 0
    """Which child of its parent it is."""
    status: str = ""
    times: int = 0
    result: str = ""


class TreeProblem(msgspec.Struct, frozen=True):
    """Something wrong with the tree, or that can't be meant so."""

    message: str
    warning: bool = False


class MadeTree(msgspec.Struct, frozen=True):
    """What the game publishes."""

    agent: str = ""
    driving: str = ""
    """The agent that drives now; empty while none does."""
    agents: tuple[str, ...] = ()
    rows: tuple[TreeOutlineNode, ...] = ()
    kinds: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    fields: dict[str, dict[str, str]] = {}
    """The fields of each action and trigger, as they are typed."""
    problems: tuple[TreeProblem, ...] = ()
    failures: dict[str, int] = {}
    can_undo: bool = False
    can_redo: bool = False
    unsaved: bool = False

    @property
    def is_sound(self) -> bool:
        """Whether it can drive as it is."""
        return all(problem.warning for problem in self.problems)


class PaletteItem(NamedTuple):
    """Something that a tree can be made of; a heading has no kind."""

    name: str
    kind: str = ""


class TreeMakerRow(NamedTuple):
    """A row of the panel: a node, or a problem below the tree."""

    title: str
    detail: str = ""
    node: TreeOutlineNode | None = None
    status: str = ""
    """`wrong`, `warning`, or empty."""
    about: tuple[str, ...] = ()
    """What is wrong with the node."""


def made_tree_of(body: Any) -> MadeTree | None:
    """The tree that a game has published; None if it is none."""
    try:
        return msgspec.convert(body, MadeTree)
    except msgspec.ValidationError:
        return None


def palette_of(tree: MadeTree) -> list[PaletteItem]:
    """All that can be put into the tree, under headings."""
    items: list[PaletteItem] = []
    for heading, names, kind in (
        ("NODES", tree.kinds, "node"), ("ACTIONS", tree.actions, "action"),
        ("TRIGGERS", tree.triggers, "trigger"),
    ):  # fmt: skip
        items.append(PaletteItem(heading))
        items += [PaletteItem(name, kind) for name in names]
    return items


def lines_of(tree: MadeTree, error: str = "") -> list[TreeMakerRow]:
    """The tree, and below it what is wrong: with the newest edit, the tree, and while it drives."""
    lines = []
    for node in tree.rows:
        quoted = f"> {node.name}: "
        about = [p for p in tree.problems if quoted in f"> {p.message}"]
        wrong = any(not problem.warning for problem in about)
        status = "wrong" if wrong else "warning" if about else ""
        detail = node.kind
        if node.kind == "count":
            detail = f"count {node.times} × {node.status}, then {node.result or 'success'}"
        given = [f"{name}: {text}" for name, text in tree.fields.get(node.name, {}).items() if text]
        if given and node.kind in ("action", "trigger"):
            detail = given[0]
        messages = (*given[1:], *(problem.message for problem in about))
        lines.append(TreeMakerRow(node.name, detail, node, status, messages))
    if error:
        lines += [TreeMakerRow(line, status="wrong") for line in error.splitlines()]
    lines += [
        TreeMakerRow(problem.message, status="warning" if problem.warning else "wrong")
        for problem in tree.problems
    ]
    lines += [
        TreeMakerRow(f"{failure} ({times} times)", status="wrong")
        for failure, times in tree.failures.items()
    ]
    return lines


def put(tree: MadeTree, item: str, row: int, share: float) -> dict[str, Any] | None:
    """The edit that puts a new thing where it was dropped: on a row, `share` of its height down.

    On the upper or lower quarter of a row it is put before or after that node, in its middle
    below it; leaves have no middle.
    """
    where = drop_target(tree, row, share)
    return None if where is None else {
        "do": "insert", "parent": where[0], "index": where[1], "item": item,
    }  # fmt: skip


def moved(tree: MadeTree, node: TreeOutlineNode, row: int, share: float) -> dict[str, Any] | None:
    """The edit that puts a node of the tree elsewhere; the root stays where it is."""
    where = drop_target(tree, row, share)
    if where is None or not node.parent:
        return None
    return {
        "do": "move", "parent": node.parent, "index": node.index, "to": where[0], "at": where[1],
    }  # fmt: skip


def removed(node: TreeOutlineNode) -> dict[str, Any] | None:
    """The edit that takes a node away; None for the root."""
    if not node.parent:
        return None
    return {"do": "remove", "parent": node.parent, "index": node.index}


def drop_target(tree: MadeTree, row: int, share: float) -> tuple[str, int] | None:
    """Below which node, and as which child, a thing is put that was dropped on a row."""
    if not tree.rows:
        return None
    if not 0 <= row < len(tree.rows):
        root = tree.rows[0]
        return root.name, len(_children(tree, 0))
    node = tree.rows[row]
    inner = node.kind in INNER
    if inner and (not node.parent or 0.25 <= share <= 0.75):
        return node.name, len(_children(tree, row))
    if not node.parent:
        return None
    return node.parent, node.index + (0 if share < 0.5 else 1)


def _children(tree: MadeTree, row: int) -> list[TreeOutlineNode]:
    depth = tree.rows[row].depth
    found = []
    for node in tree.rows[row + 1 :]:
        if node.depth <= depth:
            break
        if node.depth == depth + 1:
            found.append(node)
    return found
