"""Says who makes a decision, so that it can be made again in another process."""

import hashlib
import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..packets.reexecutable_decisions import DecisionMaker

FUNCTION, TREE, MACHINE = "function", "py_trees", "transitions"
DECIDERS = {
    FUNCTION: "recording.decisions.function_decision_reexecution",
    TREE: "adapters.behaviour_trees.tree_tick_reexecution",
    MACHINE: "adapters.state_machines.machine_decision_reexecution",
    "workspace agent": "agents.behaviour_trees.workspace_tick_reexecution",
    "plan rules": "agents.plans.rule_decision_reexecution",
    "playthrough agent": "agents.playthrough.state_transitions",
    "arena guard": "games.arena.guards.guard_fsm",
    "arena enemy": "games.arena.adventure.world.enemy_fsm",
}
"""All kinds of deciders, and the module in which each has its function `decider`: that takes the
settings and returns a function of the inputs. A recording names a kind and never a module, so that
it can have nothing else called, and modules may move."""


@lru_cache(maxsize=1024)
def maker_of(function: Callable[..., Any]) -> DecisionMaker:
    """A maker of decisions: a function of the inputs alone."""
    file, digest = _source(function)
    settings = {"function": reference(function), "file": file}
    return DecisionMaker(FUNCTION, settings, file, digest)


def maker_from(kind: str, decider: Callable[..., Any], settings: Any = None) -> DecisionMaker:
    """A maker of decisions that a function makes from plain settings; see `DECIDERS`."""
    return DecisionMaker(kind, settings, *_source(decider))


def reference(function: Callable[..., Any]) -> str:
    """`module:function`, as far as it is known of a function."""
    module = getattr(function, "__module__", None) or ""
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    return f"{module}:{name}"


def digest_of(file: str | Path) -> str:
    """A hash of what is in a source file; empty if it can't be read."""
    try:
        return hashlib.blake2b(Path(file).read_bytes(), digest_size=8).hexdigest()
    except (OSError, ValueError):
        return ""


@lru_cache(maxsize=1024)
def _source(function: Callable[..., Any]) -> tuple[str, str]:
    code = getattr(function, "__code__", None) or getattr(
        getattr(function, "__func__", None), "__code__", None
    )
    # A program that was started is called as it was typed.
    file = "" if code is None else os.path.abspath(code.co_filename)
    return file, digest_of(file) if file else ""
