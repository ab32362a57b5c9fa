"""A workspace: the folder with all files that define behaviour tree agents, loaded together."""

from pathlib import Path
from typing import Any

from ....errors import TreeError
from ....games.walk_map import WalkMap, map_of_drawing
from .workspace_file_reader import DataFile, WorkspaceProblem
from .workspace_items import (
    ITEM_FILES,
    ActionNode,
    Agent,
    Command,
    Format,
    InnerNode,
    KeyOperation,
    MapInfo,
    ObjectReference,
    TriggerNode,
)

SHIPPED = Path(__file__).parents[1] / "shipped"


class Workspace:
    """What the files of a folder say. What is wrong with them is in `problems`.

    Raises:
        TreeError: there is no such folder.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise TreeError(f"{folder} is no workspace: give a folder with tree_items in it")
        self.folder = folder
        self.problems: list[WorkspaceProblem] = []
        self.files = {
            name: DataFile(folder, f"tree_items/{name}.json", self.problems)
            for name in (*ITEM_FILES, "tree_structure")
        }
        self.files["map"] = DataFile(folder, "map_data/map_info.yml", self.problems)
        self.files["commands"] = DataFile(folder, "command/command_reference.tsv", self.problems)
        self.files["objects"] = DataFile(folder, "object/object_reference.tsv", self.problems)
        self.formats: dict[str, Format] = self._items("formats")
        self.key_operations: dict[str, KeyOperation] = self._items("key_operations")
        self.action_nodes: dict[str, ActionNode] = self._items("action_nodes")
        self.trigger_nodes: dict[str, TriggerNode] = self._items("trigger_nodes")
        self.damaged_nodes: set[str] = set()
        """Names of nodes that are there but have the wrong shape."""
        self.agents: dict[str, Agent] = {}
        self.nodes: dict[str, InnerNode] = {}
        self._read_structure()
        self.commands: dict[str, Command] = {}
        self.command_lines: dict[str, int] = {}
        self._read_commands()
        self.objects = {
            entry.name: entry
            for _, entry in (
                self.files["objects"].table(ObjectReference) if self.files["objects"].exists else ()
            )
        }
        self.map = self._read_map()

    @property
    def name(self) -> str:
        """What it is called: as its folder."""
        return self.folder.resolve().name

    @property
    def walk_map(self) -> WalkMap | None:
        """Where one can walk, if the map has a drawing."""
        drawing = self.map.drawing
        return map_of_drawing(drawing, self.map.cell, self.map.corner) if drawing else None

    def _items(self, name: str) -> dict[str, Any]:
        file, kind = self.files[name], ITEM_FILES[name]
        items: dict[str, Any] = {}
        for key, data in (file.json() or {}).items():
            item = file.convert(data, kind, (key,), key)
            # What has the wrong shape is there all the same: no other complaints of its name.
            items[key] = item if item is not None else _BLANK[name]
        return items

    def _read_structure(self) -> None:
        file = self.files["tree_structure"]
        data = file.json()
        if data is None:
            return
        for part in data:
            if part not in ("agents", "nodes"):
                file.complain(f"there is no field {part!r} here: there are: agents, nodes", (part,))
        for part, kind, into in (
            ("agents", Agent, self.agents), ("nodes", InnerNode, self.nodes)
        ):  # fmt: skip
            entries = data.get(part, {})
            if not isinstance(entries, dict):
                file.complain(f"{part}: this must be an object with names and items", (part,))
                continue
            for key, entry in entries.items():
                item = file.convert(entry, kind, (part, key), f"{part[:-1]} {key!r}")
                if item is not None:
                    into[key] = item
                elif part == "nodes":
                    self.damaged_nodes.add(key)
        if not data.get("agents"):
            file.complain("there is no agent: name one in `agents`, with the node that is its root")

    def _read_commands(self) -> None:
        file = self.files["commands"]
        for line, command in file.table(Command):
            if command.low > command.high:
                text = f"{command.command}: low {command.low:g} is more than high {command.high:g}"
                self.problems.append(WorkspaceProblem(file.name, line, text))
            self.commands[command.command] = command
            self.command_lines[command.command] = line

    def _read_map(self) -> MapInfo:
        file = self.files["map"]
        data = file.yaml() if file.exists else None
        info: MapInfo | None = None if data is None else file.convert(data, MapInfo, ())
        info = info or MapInfo()
        if len({len(line) for line in info.drawing}) > 1:
            file.complain("drawing: all rows must be equally long", ("drawing",))
            return MapInfo(places=info.places)
        return info


_BLANK: dict[str, Any] = {
    "formats": Format("number"),
    "key_operations": KeyOperation({}),
    "action_nodes": ActionNode(),
    "trigger_nodes": TriggerNode(when="True"),
}
