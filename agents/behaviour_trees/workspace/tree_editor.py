"""Edits an agent's tree and its leaves: undo, a check after each edit, saving on request."""

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from ....errors import TreeError
from ....recorder.text.name_hint import name_hint
from .workspace import Workspace
from .workspace_checker import check_workspace
from .workspace_writer import text_of_items

STRUCTURE = "tree_structure"
LEAF_FIELDS = {
    "action_nodes": ("operations", "write", "goal", "about"),
    "trigger_nodes": ("when", "python", "reachable", "about"),
}
"""The files with leaves, and the fields that their items may have."""
KINDS = ("selector", "sequence", "parallel", "inverter", "count")
MOST_UNDONE = 200
Nodes = dict[str, dict[str, Any]]


class TreeEditor:
    """Edits the nodes below one agent of a workspace, and the fields of action and trigger nodes.
    The folder is as it was until `save`.

    Raises:
        TreeError: there is no such agent, or the structure can't be read.
    """

    def __init__(self, folder: Path, agent: str) -> None:
        self.folder, self.agent = folder, agent
        self._workspace = Workspace(folder)
        if agent not in self._workspace.agents:
            known = self._workspace.agents
            raise TreeError(f"there is no agent {agent!r}: {name_hint(agent, known)}")
        self._files: dict[str, dict[str, Any]] = {
            name: json.loads(_path(folder, name).read_text("utf-8"))
            for name in (STRUCTURE, *LEAF_FIELDS)
        }
        """The content of the files that are edited."""
        self._saved = self._text
        self._undo: list[str] = []
        self._redo: list[str] = []

    @property
    def _text(self) -> str:
        return json.dumps(self._files)

    @property
    def _data(self) -> dict[str, Any]:
        return self._files[STRUCTURE]

    @property
    def _nodes(self) -> Nodes:
        nodes: Nodes = self._data.setdefault("nodes", {})
        return nodes

    def insert(self, parent: str, index: int, item: str) -> None:
        """Put a node, an action, a trigger, or a new node of a kind, below a node.

        Raises:
            TreeError: there is no such parent or item.
        """
        children = self._children(parent)
        known = [*self._nodes, *self._workspace.action_nodes, *self._workspace.trigger_nodes]
        if item not in known and item not in KINDS:
            raise TreeError(f"there is no node {item!r}: {name_hint(item, known)}")
        self._remember()
        name = item
        if item not in known:
            name = self._free_name(item)
            counts = {"status": "success", "times": 1} if item == "count" else {}
            self._nodes[name] = {"type": item, "children": [], **counts}
        children.insert(min(max(index, 0), len(children)), name)

    def remove(self, parent: str, index: int) -> None:
        """Remove a child; a node without any reference left goes with all below it.

        Raises:
            TreeError: there is no such child.
        """
        children = self._child_at(parent, index)
        self._remember()
        del children[index]
        self._drop_orphans()

    def move(self, parent: str, index: int, to: str, at: int) -> None:
        """Put a child elsewhere; `at` is counted as things are now.

        Raises:
            TreeError: there is no such child, or it would come to stand below itself.
        """
        children, there = self._child_at(parent, index), self._children(to)
        name = children[index]
        if to == name or to in self._below(name):
            raise TreeError(f"{name!r} can't be put below itself")
        self._remember()
        del children[index]
        if children is there and at > index:
            at -= 1
        there.insert(min(max(at, 0), len(there)), name)

    def rename(self, name: str, new: str) -> None:
        """Call a node otherwise, wherever it is.

        Raises:
            TreeError: there is no such node, or the new name is taken.
        """
        self._children(name)
        taken = {*self._nodes, *self._workspace.action_nodes, *self._workspace.trigger_nodes}
        if not new or new in taken:
            raise TreeError(f"{new!r} is taken, or empty: give another name")
        self._remember()
        self._data["nodes"] = {new if key == name else key: v for key, v in self._nodes.items()}
        for node in self._nodes.values():
            node["children"] = [new if child == name else child for child in node["children"]]
        for agent in self._data["agents"].values():
            agent["root"] = new if agent["root"] == name else agent["root"]

    def change(self, name: str, **fields: Any) -> None:
        """Change a node's `type`, or a count's `status`, `times` and `result`.

        Raises:
            TreeError: there is no such node or field.
        """
        self._children(name)
        wrong = fields.keys() - {"type", "status", "times", "result"}
        if wrong or fields.get("type", KINDS[0]) not in KINDS:
            raise TreeError(f"{name!r} can't be set to {fields}")
        self._remember()
        node = {**self._nodes[name], **fields}
        if node["type"] == "count":
            node = {"status": "success", "times": 1, **node}
        else:
            node = {key: node[key] for key in node if key not in ("status", "times", "result")}
        self._nodes[name] = node

    def set_field(self, name: str, field: str, text: str) -> None:
        """Give a field of an action or a trigger another value; an empty one takes it away.

        Args:
            text: As it is typed: an expression, a name; names with `,` between them for
                `operations`, and `key = value` with `;` between them for `write`.

        Raises:
            TreeError: there is no such leaf or field, or the text is none for it.
        """
        file = next((one for one in LEAF_FIELDS if name in self._files[one]), None)
        if file is None:
            leaves = [leaf for one in LEAF_FIELDS for leaf in self._files[one]]
            raise TreeError(f"there is no action or trigger {name!r}: {name_hint(name, leaves)}")
        if field not in LEAF_FIELDS[file]:
            hint = name_hint(field, LEAF_FIELDS[file])
            raise TreeError(f"{name!r} has no field {field!r}: {hint}")
        value = _typed(name, field, text)
        self._remember()
        item = {key: old for key, old in self._files[file][name].items() if key != field}
        self._files[file][name] = {**item, field: value} if value else item

    def undo(self) -> None:
        """Take the newest edit back; without one nothing happens."""
        if self._undo:
            self._redo.append(self._text)
            self._files = json.loads(self._undo.pop())

    def redo(self) -> None:
        """Do again what was undone last."""
        if self._redo:
            self._undo.append(self._text)
            self._files = json.loads(self._redo.pop())

    def problems(self) -> list[dict[str, Any]]:
        """What is wrong with the tree as it is now, and what can't be meant so."""
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch) / "workspace"
            shutil.copytree(self.folder, copy)
            self._write(copy)
            found = check_workspace(Workspace(copy))
        return [
            {"message": one.message, "warning": one.is_warning, "file": one.file, "line": one.line}
            for one in found
        ]

    def save(self) -> None:
        """Write what was edited to the workspace.

        Raises:
            TreeError: something is wrong with it, or it can't be written.
        """
        wrong = [one["message"] for one in self.problems() if not one["warning"]]
        if wrong:
            raise TreeError("\n".join(wrong))
        try:
            self._write(self.folder)
        except OSError as error:
            raise TreeError(f"{self.folder} can't be written to: {error}") from error
        self._saved = self._text

    def _write(self, folder: Path) -> None:
        """Write the files that are other than they were saved."""
        saved = json.loads(self._saved)
        for name, data in self._files.items():
            if data != saved[name]:
                _path(folder, name).write_text(text_of_items(data), "utf-8")

    def state(self) -> dict[str, Any]:
        """The tree from its root down, what it can be made of, and what is wrong with it."""
        return {
            "agent": self.agent,
            "rows": self._rows(),
            "kinds": list(KINDS),
            "actions": sorted(self._workspace.action_nodes),
            "triggers": sorted(self._workspace.trigger_nodes),
            "fields": {
                name: {field: _text_of(item.get(field, "")) for field in fields}
                for file, fields in LEAF_FIELDS.items()
                for name, item in self._files[file].items()
            },
            "problems": self.problems(),
            "can_undo": bool(self._undo),
            "can_redo": bool(self._redo),
            "unsaved": self._text != self._saved,
        }

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each node: how deep it is, its name and kind, and where it is a child."""
        rows: list[dict[str, Any]] = []
        root = self._data["agents"][self.agent]["root"]
        waiting = [(root, 0, "", 0, frozenset[str]())]
        while waiting and len(rows) < 2000:
            name, depth, parent, index, above = waiting.pop()
            node = self._nodes.get(name, {})
            kind = node.get("type") or (
                "action" if name in self._workspace.action_nodes
                else "trigger" if name in self._workspace.trigger_nodes else "unknown"
            )  # fmt: skip
            row = {"name": name, "kind": kind, "depth": depth, "parent": parent, "index": index}
            if kind == "count":
                row |= {key: node[key] for key in ("status", "times", "result") if key in node}
            rows.append(row)
            if name not in above:
                children = list(enumerate(node.get("children", [])))
                waiting += [
                    (child, depth + 1, name, at, above | {name}) for at, child in reversed(children)
                ]
        return rows

    def _children(self, name: str) -> list[str]:
        if name not in self._nodes:
            raise TreeError(f"there is no node {name!r}: {name_hint(name, self._nodes)}")
        children: list[str] = self._nodes[name]["children"]
        return children

    def _child_at(self, parent: str, index: int) -> list[str]:
        children = self._children(parent)
        if not 0 <= index < len(children):
            raise TreeError(f"{parent!r} has {len(children)} children, there is no {index}")
        return children

    def _below(self, name: str) -> set[str]:
        found: set[str] = set()
        waiting = [name]
        while waiting:
            for child in self._nodes.get(waiting.pop(), {}).get("children", []):
                if child not in found:
                    found.add(child)
                    waiting.append(child)
        return found

    def _drop_orphans(self) -> None:
        roots = {agent["root"] for agent in self._data["agents"].values()}
        reachable = roots.union(*map(self._below, roots))
        self._data["nodes"] = {
            name: node for name, node in self._nodes.items() if name in reachable
        }

    def _free_name(self, kind: str) -> str:
        taken = {*self._nodes, *self._workspace.action_nodes, *self._workspace.trigger_nodes}
        number = 1
        while f"{kind} {number}" in taken:
            number += 1
        return f"{kind} {number}"

    def _remember(self) -> None:
        self._undo.append(self._text)
        del self._undo[:-MOST_UNDONE]
        self._redo.clear()


def _path(folder: Path, name: str) -> Path:
    return folder / "tree_items" / f"{name}.json"


def _typed(name: str, field: str, text: str) -> Any:
    """The value of a field as it was typed."""
    text = text.strip()
    if field == "operations":
        return [part.strip() for part in text.split(",") if part.strip()]
    if field != "write":
        return text
    written: dict[str, Any] = {}
    for part in filter(None, (one.strip() for one in text.split(";"))):
        key, sign, value = (one.strip() for one in part.partition("="))
        if not sign or not value:
            raise TreeError(f"{name!r}: write: {part!r}: give key = value, such as seen = tick")
        try:
            known = json.loads(value)
        except ValueError:
            known = value
        written[key] = known if isinstance(known, bool | int | float) else value
    return written


def _text_of(value: Any) -> str:
    """A field as it is typed."""
    if isinstance(value, dict):
        each = {k: v if isinstance(v, str) else json.dumps(v) for k, v in value.items()}
        return "; ".join(f"{key} = {one}" for key, one in each.items())
    return ", ".join(value) if isinstance(value, list) else str(value)
