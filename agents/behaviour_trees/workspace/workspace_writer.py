"""Writes items into the files of a workspace, and keeps everything else in them."""

import json
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from ....errors import TreeError
from ....games.tree_body_interface import TreeBody
from ....games.walk_map import WalkMap, drawing_of
from .workspace_items import ITEM_FILES, Agent, InnerNode

_EMPTY_MAP = "places: {}\n"
_NO_OBJECTS = "name\tkind\tabout\n"


def new_workspace(folder: Path, body: TreeBody) -> None:
    """Make a workspace without agents, with the commands of a body.

    Raises:
        TreeError: there is something in the folder, or it can't be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise TreeError(f"{folder} is there already: name a new folder")
    rows = [f"{name}\t{can.low:g}\t{can.high:g}\t" for name, can in body.commands.items()]
    files = {
        "command/command_reference.tsv": "\n".join(["command\tlow\thigh\tabout", *rows]) + "\n",
        "map_data/map_info.yml": _EMPTY_MAP,
        "object/object_reference.tsv": _NO_OBJECTS,
        "tree_items/tree_structure.json": '{"agents": {}, "nodes": {}}\n',
        **{f"tree_items/{name}.json": "{}\n" for name in ITEM_FILES},
    }
    for name, text in files.items():
        _put(folder / name, text)


def add_items(folder: Path, file: str, items: Mapping[str, Any]) -> None:
    """Put items into one of `tree_items/`; `file` is `formats`, for instance."""
    path = folder / "tree_items" / f"{file}.json"
    data = _data(path)
    data.update({name: _stated(item) for name, item in items.items()})
    _put(path, text_of_items(data))


def add_agent(folder: Path, name: str, agent: Agent, nodes: Mapping[str, InnerNode]) -> None:
    """Put an agent and its nodes into the tree structure."""
    path = folder / "tree_items" / "tree_structure.json"
    data = _data(path)
    data.setdefault("agents", {})[name] = _stated(agent)
    data.setdefault("nodes", {}).update({key: _stated(node) for key, node in nodes.items()})
    _put(path, text_of_items(data))


def put_map(folder: Path, walk_map: WalkMap) -> None:
    """Put a drawing of a map into the map information; places in it stay as they are.

    Raises:
        TreeError: the file can't be read or written.
    """
    path = folder / "map_data" / "map_info.yml"
    yaml = YAML()
    yaml.width = 10_000
    try:
        document = yaml.load(path.read_text("utf-8")) if path.exists() else None
        document = document if isinstance(document, dict) else {"places": {}}
        document["cell"] = walk_map.cell
        document["corner"] = list(walk_map.corner)
        document["drawing"] = drawing_of(walk_map)
        stream = StringIO()
        yaml.dump(document, stream)
    except (OSError, YAMLError) as error:
        raise TreeError(f"{path} can't be read: {error}") from error
    _put(path, stream.getvalue())


def _data(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return data


def _stated(item: msgspec.Struct) -> dict[str, Any]:
    """An item in plain values, without those that are empty or as they are by default."""
    defaults = {
        field.encode_name: field.default
        for field in msgspec.structs.fields(item)
        if field.default is not msgspec.NODEFAULT
    }
    data: dict[str, Any] = msgspec.to_builtins(item)
    return {
        key: value
        for key, value in data.items()
        if value not in ({}, [], ()) and (key not in defaults or value != defaults[key])
    }


def text_of_items(data: Mapping[str, Any]) -> str:
    """JSON that a diff can show item by item."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _put(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    except OSError as error:
        raise TreeError(f"{path} can't be written: {error}") from error
