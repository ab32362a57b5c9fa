"""A workspace that tests make, and change where they want something to be wrong."""

import json
from pathlib import Path
from typing import Any

ITEMS: dict[str, dict[str, Any]] = {
    "formats": {
        "health": {"type": "number"},
        "enemy": {"type": "object", "default": ""},
        "enemy_distance": {"type": "number"},
        "enemy_bearing": {"type": "number"},
        "home": {"type": "place"},
    },
    "key_operations": {
        "walk": {"commands": {"ahead": 1}},
        "face enemy": {"commands": {"turn": "-enemy_bearing"}},
        "shoot": {"commands": {"fire": 1}},
    },
    "action_nodes": {
        "wander": {"operations": ["walk"]},
        "attack": {"operations": ["face enemy", "shoot"], "write": {"seen": "tick"}},
        "go home": {"goal": "gate", "operations": ["walk"]},
    },
    "trigger_nodes": {
        "enemy near": {"when": "enemy != '' and enemy_distance < 5"},
        "is hurt": {"when": "health < 30"},
        "home open": {"reachable": "home"},
    },
    "tree_structure": {
        "agents": {"fighter": {"root": "fighter", "phrases": ["fight whoever comes near"]}},
        "nodes": {
            "fighter": {"type": "selector", "children": ["flee", "fight", "wander"]},
            "flee": {"type": "sequence", "children": ["is hurt", "home open", "go home"]},
            "fight": {"type": "sequence", "children": ["enemy near", "attack"]},
        },
    },
}
COMMANDS = "command\tlow\thigh\tabout\nahead\t-1\t1\tto the front\nturn\t-1\t1\t\nfire\t0\t1\t\n"
OBJECTS = "name\tkind\nImp\tmonster\n"
MAP = "places:\n  gate: [4, 2]\n"


def write_workspace(folder: Path, **changed: dict[str, Any]) -> Path:
    """Write one; `changed` is laid over a file's entries, None takes one away."""
    for name, entries in ITEMS.items():
        laid = {**entries, **changed.get(name, {})}
        if name == "tree_structure":
            nodes = {**entries["nodes"], **changed.get("nodes", {})}
            laid["nodes"] = {key: node for key, node in nodes.items() if node is not None}
        contents = {key: value for key, value in laid.items() if value is not None}
        put(folder, f"tree_items/{name}.json", json.dumps(contents, indent=1))
    put(folder, "command/command_reference.tsv", COMMANDS)
    put(folder, "object/object_reference.tsv", OBJECTS)
    put(folder, "map_data/map_info.yml", MAP)
    return folder


def put(folder: Path, name: str, text: str) -> None:
    """Write one file of it."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
