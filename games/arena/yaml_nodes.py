"""Reads YAML into nodes that know their line, so that errors can name it."""

import contextlib
import math
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import yaml

from ...errors import GameError

Point = tuple[float, float]


def text_of(path: str | Path, what: str) -> str:
    """What a file holds; `what` is what errors call it.

    Raises:
        GameError: it can't be read.
    """
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise GameError(f"{path}: the {what} can't be read: {error}") from error


class NodeReader:
    """Turns YAML nodes into values; whatever makes no sense is a `GameError` with its line.

    Args:
        file: What errors call the text.
    """

    def __init__(self, file: str) -> None:
        self.file = file

    def root(self, text: str, empty: str) -> yaml.Node:
        """The node that is the whole text; `empty` is the error for an empty text."""
        try:
            root = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            raise GameError(f"{self.file}:{line}: no YAML: {error.problem}") from error
        except yaml.YAMLError as error:
            raise GameError(f"{self.file}:1: no YAML: {error}") from error
        if root is None:
            raise GameError(f"{self.file}:1: {empty}")
        return root

    def fail(self, node: yaml.Node, message: str) -> NoReturn:
        """Say what is wrong with a node."""
        raise GameError(f"{self.file}:{node.start_mark.line + 1}: {message}")

    def mapping(
        self,
        node: yaml.Node,
        what: str,
        needed: tuple[str, ...],
        optional: tuple[str, ...] = (),
    ) -> dict[str, yaml.Node]:
        """The parts of a mapping by name; unknown, double and lacking ones are errors."""
        if not isinstance(node, yaml.MappingNode):
            self.fail(node, f"{what} must be a mapping with {', '.join(needed)}")
        parts: dict[str, yaml.Node] = {}
        for key, value in node.value:
            name = str(key.value)
            if name not in needed and name not in optional:
                known = ", ".join(needed + optional)
                self.fail(key, f"{what} has no {name!r}; known are {known}")
            if name in parts:
                self.fail(key, f"{what} gives {name!r} twice")
            parts[name] = value
        for name in needed:
            if name not in parts:
                self.fail(node, f"{what} lacks {name!r}")
        return parts

    def items(self, node: yaml.Node, what: str, least: int = 0) -> Iterator[yaml.Node]:
        """The entries of a list."""
        if not isinstance(node, yaml.SequenceNode):
            self.fail(node, f"{what} must be a list")
        if len(node.value) < least:
            self.fail(node, f"{what} has {len(node.value)} entries, it needs {least} or more")
        return iter(node.value)

    def point(self, node: yaml.Node, what: str) -> Point:
        """Two numbers."""
        if not isinstance(node, yaml.SequenceNode) or len(node.value) != 2:
            self.fail(node, f"{what} must be two numbers, as in [3.5, -2]")
        x, y = (self.number(item, what) for item in node.value)
        return x, y

    def extent(self, node: yaml.Node, what: str) -> Point:
        """Two numbers above 0."""
        size = self.point(node, what)
        if min(size) <= 0:
            self.fail(node, f"{what} is {size}; both numbers must be more than 0")
        return size

    def number(self, node: yaml.Node, what: str) -> float:
        """A finite number."""
        value = math.nan
        if isinstance(node, yaml.ScalarNode) and node.tag.rpartition(":")[2] in ("int", "float"):
            with contextlib.suppress(ValueError):
                value = float(node.value)
        if not math.isfinite(value):
            self.fail(node, f"{what} must be a finite number, not {_shown(node)}")
        return value

    def flag(self, node: yaml.Node, what: str) -> bool:
        """True or false."""
        if not isinstance(node, yaml.ScalarNode) or node.value not in ("true", "false"):
            self.fail(node, f"{what} must be true or false, not {_shown(node)}")
        return bool(node.value == "true")

    def text(self, node: yaml.Node, what: str) -> str:
        """A text that is not empty."""
        if not isinstance(node, yaml.ScalarNode) or not node.value:
            self.fail(node, f"{what} must be a text, not {_shown(node)}")
        return str(node.value)


def _shown(node: yaml.Node) -> str:
    if isinstance(node, yaml.ScalarNode):
        return repr(node.value)
    return "a list" if isinstance(node, yaml.SequenceNode) else "a mapping"
