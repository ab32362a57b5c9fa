"""Reads, checks and writes `*.plan.yaml` files, with their lines and comments."""

import re
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple, get_args

import msgspec
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from ...errors import PlanError
from ...recorder.text.name_hint import name_hint
from .plan import Movement, Node, Plan, Precondition, Rule, moved_by

SUFFIX = ".plan.yaml"
SHIPPED = Path(__file__).parent / "shipped"
Place = tuple[str | int, ...]
"""Where in a plan: `("nodes", 2, "tolerance")`."""


class PlanProblem(NamedTuple):
    """Something that is wrong with a plan."""

    line: int
    message: str


class PlanFile:
    """A plan and the text that it came from.

    Args:
        kept: The numbers of the nodes and rules in the document that the plan has, from 0; all by
            default.
        problems: What is wrong with its form.
    """

    def __init__(
        self, plan: Plan, document: CommentedMap, file: str,
        numbers: Mapping[str, Sequence[int]] | None = None, problems: Sequence[PlanProblem] = (),
    ) -> None:  # fmt: skip
        self.plan = plan
        self.problems = tuple(problems)
        """What is wrong with its form: then the plan lacks that, and is only to be checked."""
        self._numbers = numbers or {}
        self.document = document
        """The YAML as it was read, comments and all: change it and `save`."""
        self.file = file

    @property
    def name(self) -> str:
        """What it is called: the file's name without its suffix."""
        return plan_name(self.file)

    def moved_by(self, movement: Movement) -> "PlanFile":
        """The same with another movement in all of its nodes and rules."""
        moved = moved_by(self.plan, movement)
        return PlanFile(moved, self.document, self.file, self._numbers, self.problems)

    def line(self, place: Place) -> int:
        """The line of a part of the plan, counted from 1: its own, or that of what it is in."""
        if len(place) > 1 and place[0] in self._numbers:
            place = (place[0], self._numbers[str(place[0])][int(place[1])], *place[2:])
        return line_of(self.document, place)

    def error(self, problems: Sequence[PlanProblem]) -> PlanError:
        """All that is wrong, one line each."""
        return _error(self.file, problems)

    def text(self) -> str:
        """The document as YAML, with the comments that it came with."""
        stream = StringIO()
        _yaml().dump(self.document, stream)
        return stream.getvalue()

    def save(self, path: Path) -> None:
        """Write the document.

        Raises:
            PlanError: it can't be written.
        """
        self.file = str(path)
        try:
            path.write_text(self.text(), "utf-8")
        except OSError as error:
            raise PlanError(f"the plan can't be written to {path}: {error}") from error


def plan_name(file: str) -> str:
    """What the plan in a file is called: the file's name without its suffix."""
    return Path(file).name.removesuffix(".yaml").removesuffix(".plan")


def load_plan(path: str | Path, *, strict: bool = True) -> PlanFile:
    """The plan in a file.

    Args:
        strict: See `parse_plan`.

    Raises:
        PlanError: it can't be read, or is no plan; the message names the file and the line.
    """
    try:
        text = Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PlanError(f"the plan {path} can't be read: {error}") from error
    return parse_plan(text, str(path), strict=strict)


def shipped_plan(game: str) -> Path | None:
    """The plan that comes along with a game; None if there is none."""
    path = SHIPPED / f"{game.partition(':')[2]}{SUFFIX}"
    return path if path.is_file() and load_plan(path).plan.game == game else None


def parse_plan(text: str, file: str = "<plan>", *, strict: bool = True) -> PlanFile:
    """The plan that YAML text describes; `file` is what errors call it.

    Args:
        strict: False to leave out what is malformed and list it in `problems`, so that
            `check_plan` can say all that is wrong at once.

    Raises:
        PlanError: the text is no plan; the message names the file and the line.
    """
    try:
        document = _yaml().load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 1 if mark is None else mark.line + 1
        reason = re.sub(r"\s+", " ", str(error.problem or error.context or error))
        raise PlanError(f"{file}:{line}: this is no YAML: {reason}") from error
    except (YAMLError, RecursionError, ValueError) as error:
        raise PlanError(f"{file}: this is no YAML: {_first_line(error)}") from error
    if document is None:
        raise PlanError(f"{file}: the plan is empty: give it `nodes`")
    if not isinstance(document, CommentedMap):
        raise PlanError(f"{file}:1: a plan is a mapping with `nodes`, this is {_kind(document)}")
    try:
        data = _plain(document)
        found = _mistakes(data)
        parts, numbers = _readable(data, found)
        try:
            plan = msgspec.convert({**data, **parts}, Plan)
        except msgspec.ValidationError as error:
            if not found or parts.get("nodes"):
                found.append(_place_of(str(error)))
            strict = True
    except RecursionError as error:
        raise PlanError(f"{file}: the plan is nested too deeply") from error
    problems = [
        PlanProblem(line_of(document, place), (f"{_words(place)}: " if place else "") + message)
        for message, place in found
    ]
    if problems and strict:
        raise _error(file, problems)
    return PlanFile(plan, document, file, numbers, problems)


def plan_file_of(
    plan: Plan, file: str = "<plan>", comment: str = "", notes: Mapping[int, str] | None = None
) -> PlanFile:
    """A plan that was made otherwise, as a file to be saved: without what has its default.

    Args:
        comment: What is at the top.
        notes: What is after a node, by its number from 0.
    """
    data = msgspec.to_builtins(plan)
    nodes = _rows([_stated_fields(node, _NODE) for node in data["nodes"]])
    for number, note in (notes or {}).items():
        nodes.yaml_add_eol_comment(note, number, column=0)
    rules = _rows([_stated_fields(rule, _RULE) for rule in data["rules"]])
    sections = {"game": data["game"], "nodes": nodes, "rules": rules}
    document = CommentedMap({key: value for key, value in sections.items() if value})
    if comment:
        document.yaml_set_start_comment(comment)
    stream = StringIO()
    _yaml().dump(document, stream)
    return parse_plan(stream.getvalue(), file)


def _rows(parts: Iterable[dict[str, Any]]) -> CommentedSeq:
    """A list with each of its parts in a line."""
    rows = CommentedSeq()
    for part in parts:
        row = CommentedMap(part)
        row.fa.set_flow_style()
        rows.append(row)
    return rows


def line_of(document: Any, place: Place) -> int:
    """The line of a part of a YAML document, counted from 1."""
    line: int = document.lc.line
    for key in place:
        try:
            line = document.lc.key(key)[0] if isinstance(key, str) else document.lc.item(key)[0]
            document = document[key]
        except (AttributeError, KeyError, IndexError, TypeError):
            break
    return line + 1


def _yaml() -> YAML:
    yaml = YAML(typ="rt", pure=True)
    yaml.preserve_quotes = True
    yaml.width = 100
    return yaml


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, CommentedSeq):
        return [_plain(one) for one in value]
    if isinstance(value, bool) or value is None:
        return value
    for kind in (int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return str(value)


_FIELDS: dict[str, type[msgspec.Struct]] = {
    "nodes": Node, "rules": Rule, "when": Precondition, "": Plan,
}  # fmt: skip


def _error(file: str, problems: Iterable[PlanProblem]) -> PlanError:
    """All that is wrong, one line each."""
    return PlanError("\n".join(f"{file}:{one.line}: {one.message}" for one in problems))


def _readable(
    data: dict[str, Any], mistakes: Sequence[tuple[str, Place]]
) -> tuple[dict[str, list[Any]], dict[str, list[int]]]:  # fmt: skip
    """The nodes and rules as far as they are well-formed, and their numbers.

    Of one with a mistake only what it names is left; nothing, if that makes no sense either.
    """
    wrong = {place[:2] for _, place in mistakes}
    parts: dict[str, list[Any]] = {}
    numbers: dict[str, list[int]] = {}
    for key, kind in (("nodes", Node), ("rules", Rule)):
        if not isinstance(data.get(key), list):
            continue
        parts[key], numbers[key] = [], []
        for number, part in enumerate(data[key]):
            if (key, number) in wrong:
                part = _names_of(part, kind)
            if part is not None:
                parts[key].append(part)
                numbers[key].append(number)
    return parts, numbers


def _names_of(part: Any, kind: type[Node | Rule]) -> dict[str, Any] | None:
    """What a malformed part names; None if that can't be read."""
    if not isinstance(part, dict):
        return None
    names = {name: part[name] for name in ("actor", "action", "when", "name") if name in part}
    try:
        msgspec.convert(names, kind)
    except msgspec.ValidationError:
        return None
    return names


def _mistakes(data: dict[str, Any]) -> list[tuple[str, Place]]:
    """What is wrong with each of the nodes and rules, and where: msgspec reports the first only."""
    found: list[tuple[str, Place]] = []
    for key, kind in (("nodes", Node), ("rules", Rule)):
        parts = data.get(key)
        for number, part in enumerate(parts if isinstance(parts, list) else ()):
            try:
                msgspec.convert(part, kind)
            except msgspec.ValidationError as error:
                found.append(_place_of(str(error), (key, number)))
    return found


def _place_of(message: str, inside: Place = ()) -> tuple[str, Place]:
    """What msgspec says is wrong with a part of the plan, in plain words, and where."""
    reason, _, path = message.partition(" - at `$")
    place: list[str | int] = [*inside]
    for name, number in re.findall(r"\.([^.\[`]+)|\[(\d+)\]", path):
        place.append(name or int(number))
    unknown = re.search(r"unknown field `(.*)`", reason)
    if unknown:
        kind = next((str(key) for key in reversed(place) if isinstance(key, str)), "")
        names = {field.encode_name for field in msgspec.structs.fields(_FIELDS[kind])}
        name = unknown.group(1)
        return f"there is no field {name!r} here: {name_hint(name, sorted(names))}", (*place, name)
    missing = re.search(r"missing required field `(.*)`", reason)
    if missing:
        return f"`{missing.group(1)}` is missing", tuple(place)
    if "length >= 1" in reason:
        what = "at least one precondition: without one the rule would always hold"
        return (what if place[-1:] == ["when"] else "at least one is needed"), tuple(place)
    reason = re.sub(r"`(\w+)( \| null)?`", lambda found: _KINDS.get(found[1], found[0]), reason)
    if place[-1:] == ["movement"]:
        reason = f"{reason}: it is one of {', '.join(get_args(Movement))}"
    if reason.startswith("Expected a list,"):
        reason += ": begin each entry with `- `, or put them into [ ]"
    return re.sub(r"^Expected", "this must be", reason), tuple(place)


_KINDS = {
    "array": "a list", "object": "a mapping", "str": "a text", "float": "a number",
    "int": "a number", "bool": "true or false", "null": "nothing",
}  # fmt: skip
"""What msgspec calls the kinds of values, in plain words."""


def _words(place: Place) -> str:
    """A place in words: `node 3, tolerance`."""
    words: list[str] = []
    for key in place:
        if isinstance(key, int):
            words[-1] = f"{words[-1].removesuffix('s')} {key + 1}"
        else:
            words.append(key)
    return ", ".join(words)


def _stated_fields(data: dict[str, Any], blank: dict[str, Any]) -> dict[str, Any]:
    return {
        key: _stated_preconditions(value) if key == "when" else value
        for key, value in data.items()
        if value != blank.get(key, "")
    }


_NODE = {**msgspec.to_builtins(Node(actor="x")), "actor": ""}
_RULE = {**msgspec.to_builtins(Rule((Precondition(actor="x", within=1.0),))), "when": ()}


def _stated_preconditions(when: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: v for k, v in one.items() if v not in (None, "")} for one in when]


def _kind(value: object) -> str:
    return "a list" if isinstance(value, CommentedSeq) else f"{value!r:.60}"


def _first_line(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return (str(error).splitlines() or [type(error).__name__])[0]
