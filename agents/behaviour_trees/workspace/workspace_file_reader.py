"""Reads the files of a workspace one by one, and collects problems with file and line."""

import csv
import json
import re
from bisect import bisect_left
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from ....recorder.text.name_hint import name_hint
from ...plans.plan_file import line_of

T = TypeVar("T", bound=msgspec.Struct)
KeyPath = tuple[str | int, ...]
"""Where in a file: `("guard", "children", 1)`."""
MOST_BYTES = 10_000_000
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


class WorkspaceProblem(NamedTuple):
    """Something wrong with a workspace; or, as a warning, something that can't be meant so."""

    file: str
    line: int
    message: str
    is_warning: bool = False

    @property
    def text(self) -> str:
        """As one line: `tree_items/formats.json:3: …`."""
        location = f"{self.file}:{self.line}" if self.line else self.file
        return f"{location}: {'warning: ' if self.is_warning else ''}{self.message}"


class DataFile:
    """A file of a workspace, and where what is in it."""

    def __init__(self, folder: Path, name: str, problems: list[WorkspaceProblem]) -> None:
        self.name = name
        self.path = folder / name
        self._problems = problems
        self._lines: dict[KeyPath, int] | None = None
        self._text = ""

    @property
    def exists(self) -> bool:
        """Whether it is there."""
        return self.path.is_file()

    def complain(self, message: str, key_path: KeyPath = (), *, warning: bool = False) -> None:
        """Note what is wrong at this key path."""
        self._problems.append(WorkspaceProblem(self.name, self.line(key_path), message, warning))

    def line(self, key_path: KeyPath) -> int:
        """The line of a key path, from 1 on; if it has none, of what it is in; 0 if unknown."""
        if not self._text:
            return 0
        if self.name.endswith(".json"):
            if self._lines is None:
                self._lines = lines_of_json(self._text)
            while key_path and key_path not in self._lines:
                key_path = key_path[:-1]
            return self._lines.get(key_path, 1)
        try:
            document = YAML(typ="rt", pure=True).load(self._text)
        except (YAMLError, ValueError, RecursionError):
            return 1
        return line_of(document, key_path) if hasattr(document, "lc") else 1

    def text(self) -> str | None:
        """What is in it; None if that can't be read, which is noted."""
        if not self.exists:
            self._problems.append(WorkspaceProblem(self.name, 0, "the file is missing"))
            return None
        try:
            data = self.path.read_bytes()
            if len(data) > MOST_BYTES:
                raise ValueError(f"it has {len(data):,} bytes; at most {MOST_BYTES:,} are read")
            self._text = data.decode("utf-8-sig")
        except (OSError, ValueError) as error:
            self._problems.append(
                WorkspaceProblem(self.name, 0, f"the file can't be read: {error}")
            )
            return None
        return self._text

    def json(self) -> Mapping[str, Any] | None:
        """The JSON object in it; None if there is none, which is noted."""
        text = self.text()
        if text is None:
            return None
        doubles: list[str] = []

        def pairs(entries: list[tuple[str, Any]]) -> dict[str, Any]:
            names = [name for name, _ in entries]
            doubles.extend(sorted({name for name in names if names.count(name) > 1}))
            return dict(entries)

        try:
            data = json.loads(text, object_pairs_hook=pairs)
        except json.JSONDecodeError as error:
            message = f"this is no JSON: {error.msg}, at column {error.colno}"
            self._problems.append(WorkspaceProblem(self.name, error.lineno, message))
            return None
        except (RecursionError, ValueError) as error:
            self._problems.append(WorkspaceProblem(self.name, 1, f"this is no JSON: {error}"))
            return None
        for name in doubles:
            lines = [n for n, one in enumerate(text.splitlines(), 1) if f'"{name}"' in one]
            message = f"{name!r} is there more than once: only the last one would count"
            self._problems.append(WorkspaceProblem(self.name, lines[-1] if lines else 1, message))
        if not isinstance(data, dict):
            self.complain(f"this must be an object with names and items, it is {_kind(data)}")
            return None
        return data

    def yaml(self) -> Any:
        """What the YAML in it says; None if there is none, which is noted."""
        text = self.text()
        if text is None:
            return None
        try:
            return YAML(typ="safe", pure=True).load(text) or {}
        except (YAMLError, ValueError, RecursionError) as error:
            mark = error.problem_mark if isinstance(error, MarkedYAMLError) else None
            problem = re.sub(r"\s+", " ", str(getattr(error, "problem", None) or error))
            message = f"this is no YAML: {problem:.120}"
            self._problems.append(
                WorkspaceProblem(self.name, mark.line + 1 if mark else 1, message)
            )
            return None

    def table(self, kind: type[T]) -> list[tuple[int, T]]:
        """The rows of a tab-separated table with their lines; what is wrong is noted."""
        text = self.text()
        if text is None:
            return []
        fields = {one.encode_name: one.required for one in msgspec.structs.fields(kind)}
        lines = list(csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
        head = [name.strip() for name in lines[0]] if lines else []
        missing = [name for name, needed in fields.items() if needed and name not in head]
        if missing:
            message = f"the first line must name the columns, and lacks {', '.join(missing)}"
            self._problems.append(WorkspaceProblem(self.name, 1, message))
            return []
        for name in (name for name in head if name not in fields):
            message = f"there is no column {name!r}: {name_hint(name, fields)}"
            self._problems.append(WorkspaceProblem(self.name, 1, message))
        rows: list[tuple[int, T]] = []
        for number, cells in enumerate(lines[1:], 2):
            if not any(cell.strip() for cell in cells) or cells[0].startswith("#"):
                continue
            if len(cells) > len(head):
                message = f"there are {len(cells)} cells under {len(head)} columns"
                self._problems.append(WorkspaceProblem(self.name, number, message))
                continue
            given = zip(head, (cell.strip() for cell in cells), strict=False)
            try:
                rows.append((number, msgspec.convert(dict(given), kind, strict=False)))
            except msgspec.ValidationError as error:
                problem, key_path = message_and_key_path(str(error))
                where = f"column {key_path[0]}: " if key_path else ""
                self._problems.append(WorkspaceProblem(self.name, number, where + problem))
        return rows

    def convert(self, data: Any, kind: Any, key_path: KeyPath, about: str = "") -> Any:
        """Data as a class of items; None if it has the wrong shape, which is noted."""
        try:
            return msgspec.convert(data, kind)
        except msgspec.ValidationError as error:
            problem, inner = message_and_key_path(str(error))
            unknown = re.match(r"there is no field '(.*)' here", problem)
            if unknown:
                problem += f": {name_hint(unknown[1], _fields_of(kind, data))}"
            words = ", ".join(f"{one + 1}" if isinstance(one, int) else one for one in inner)
            message = ": ".join(part for part in (about, words, problem) if part)
            self.complain(message, (*key_path, *inner))
        except RecursionError:
            self.complain(f"{about}: it is nested too deeply", key_path)
        return None


def lines_of_json(text: str) -> dict[KeyPath, int]:
    """The line on which each part of a JSON text begins: of what has a name, the name's."""
    ends = [found.start() for found in re.finditer("\n", text)]
    lines: dict[KeyPath, int] = {}
    above: list[bool] = []
    """For each list or object around the current position: whether it is a list."""
    key_path: list[str | int | None] = []
    for token in _TOKEN.finditer(text):
        first = token[0][0]
        in_list = bool(above) and above[-1]
        if first in "}]":
            above.pop()
            key_path.pop()
        elif first == ",":
            last = key_path[-1]
            key_path[-1] = last + 1 if in_list and isinstance(last, int) else None
        elif first != ":":
            is_key = bool(above) and not in_list and key_path[-1] is None
            if is_key:
                key_path[-1] = json.loads(token[0])
            if is_key or in_list:
                line = bisect_left(ends, token.start()) + 1
                lines[tuple(one for one in key_path if one is not None)] = line
            if not is_key and first in "{[":
                above.append(first == "[")
                key_path.append(0 if first == "[" else None)
    return lines


def message_and_key_path(message: str) -> tuple[str, KeyPath]:
    """What msgspec says is wrong, in plain words, and where."""
    problem, _, path = message.partition(" - at `$")
    key_path: list[str | int] = []
    for name, number in re.findall(r"\.([^.\[`]+)|\[(\d+)\]", path):
        key_path.append(name or int(number))
    unknown = re.search(r"unknown field `(.*)`", problem)
    if unknown:
        return f"there is no field {unknown[1]!r} here", (*key_path, unknown[1])
    missing = re.search(r"missing required field `(.*)`", problem)
    if missing:
        return f"`{missing[1]}` is missing", tuple(key_path)
    return re.sub(r"^Expected", "this must be", problem), tuple(key_path)


def _fields_of(kind: Any, data: Any) -> list[str]:
    """The fields that an item may have; of one of several kinds, those of the one that is meant."""
    kinds = getattr(kind, "__args__", (kind,))
    tags = {one.__struct_config__.tag: one for one in kinds}
    meant = kinds if len(kinds) == 1 else [tags[data["type"]]]
    fields = [field.encode_name for field in msgspec.structs.fields(meant[0])]
    return fields if len(kinds) == 1 else [*fields, "type"]


def _kind(value: object) -> str:
    return "a list" if isinstance(value, list) else f"{value!r:.60}"
