"""The blackboard of py_trees on which a tree is ticked again; the program's own stays as it is."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from py_trees.blackboard import Blackboard

_PARTS = ("storage", "metadata", "clients")


class ReexecutionBlackboard:
    """The blackboard while something is done with it. py_trees has one for the whole process."""

    def __init__(self) -> None:
        self._parts: dict[str, dict[Any, Any]] = {name: {} for name in _PARTS}

    @property
    def entries(self) -> dict[str, Any]:
        """What it holds, by absolute names."""
        return self._parts["storage"]

    def fill(self, entries: Mapping[str, Any]) -> None:
        """Have it hold this and nothing else."""
        self.entries.clear()
        self.entries.update(entries)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Within it this is the blackboard; afterwards the one before is again. For one thread."""
        before = {name: getattr(Blackboard, name) for name in (*_PARTS, "activity_stream")}
        for name, part in self._parts.items():
            setattr(Blackboard, name, part)
        Blackboard.activity_stream = None
        try:
            yield
        finally:
            for name, value in before.items():
                setattr(Blackboard, name, value)
