"""The text of a `*.plan.yaml` as a person changes it: nodes and rules as pieces of its lines.

Each edit gives a new text. Lines that it is not about stay as they are, comments and all.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from ....errors import PlanError

NODES, RULES = "nodes", "rules"
NODE_FIELDS = (
    "actor", "location", "action", "movement", "tolerance", "wait", "wait_after", "time_limit",
)  # fmt: skip
RULE_FIELDS = ("when", "action", "name", "priority", "movement", "tolerance", "time_limit")
NUMBERS = ("tolerance", "wait", "wait_after", "time_limit", "priority")
MOVEMENTS = ("walk", "run", "straight", "teleport")
_BOUNDS = ("within", "above", "below", "is")


@dataclass(frozen=True)
class PlanPart:
    """A node or a rule of the text."""

    kind: str
    """`nodes` or `rules`."""
    index: int
    """Counted from 0, among those of its kind."""
    fields: Mapping[str, Any]
    first: int
    """Its first line, counted from 0, comments above it left out."""
    start: int
    """The same with the comments above it."""
    end: int
    """The line after its last."""

    @property
    def title(self) -> str:
        """What it is about, in a few words."""
        fields = self.fields
        about = str(fields.get("actor", ""))
        if self.kind == RULES:
            about = next((one["actor"] for one in when_of(fields) if "actor" in one), "")
        elif isinstance(fields.get("location"), list):
            about = field_text("location", fields["location"])
        words = " ".join(filter(None, (str(fields.get("action") or "go to"), str(about))))
        return str(fields.get("name") or words)


class PlanDocument:
    """A text and what is in it.

    Raises:
        PlanError: it is no YAML, or no plan; with the line.
    """

    def __init__(self, text: str) -> None:
        self.text = text if text.endswith("\n") or not text else f"{text}\n"
        document = _loaded(self.text)
        if document is None:
            document = CommentedMap()
        if not isinstance(document, CommentedMap):
            raise PlanError("line 1: a plan is a mapping with `nodes`")
        for kind in (NODES, RULES):
            rows = document.get(kind)
            if rows is None:
                continue
            if not isinstance(rows, CommentedSeq) or any(
                not isinstance(row, CommentedMap) for row in rows
            ):
                line = document.lc.key(kind)[0] + 1
                raise PlanError(f"line {line}: `{kind}` must be a list of mappings")
            if rows.fa.flow_style() or document.fa.flow_style():
                # In one line its parts can't be distinguished by lines.
                document.fa.set_block_style()
                rows.fa.set_block_style()
                self.text = _dumped(document)
                self.__init__(self.text)  # type: ignore[misc]
                return
        self.game = str(document.get("game") or "")
        self._document = document
        self._lines = self.text.splitlines(keepends=True)
        self.nodes = list(self._parts(NODES))
        self.rules = list(self._parts(RULES))

    def parts(self, kind: str) -> list[PlanPart]:
        """The nodes or the rules."""
        return self.nodes if kind == NODES else self.rules

    def part_at(self, line: int) -> PlanPart | None:
        """The node or rule that a line belongs to, counted from 1."""
        return next(
            (one for one in (*self.nodes, *self.rules) if one.first < line <= one.end), None
        )

    def _parts(self, kind: str) -> Iterator[PlanPart]:
        rows = self._document.get(kind)
        if not rows:
            return
        firsts = [rows.lc.item(at)[0] for at in range(len(rows))]
        after = [
            self._document.lc.key(key)[0] for key in self._document
            if self._document.lc.key(key)[0] > firsts[-1]
        ]  # fmt: skip
        begin = self._document.lc.key(kind)[0] + 1
        last = self._backed(min(after, default=len(self._lines)), firsts[-1] + 1)
        for at, first in enumerate(firsts):
            start = begin if not at else self._backed(first, firsts[at - 1] + 1)
            end = self._backed(firsts[at + 1], first + 1) if at + 1 < len(firsts) else last
            yield PlanPart(kind, at, _plain(rows[at]), first, start, end)

    def _backed(self, line: int, least: int) -> int:
        """The first of the comments and empty lines right above a line."""
        while line > least and self._lines[line - 1].strip()[:1] in ("", "#"):
            line -= 1
        return line

    # --- edits ----------------------------------------------------------------------------------

    def with_field(self, kind: str, index: int, field: str, value: Any) -> str:
        """The text with a field of a node or a rule changed; None takes it away."""
        part = self.parts(kind)[index]
        own = self._lines[part.first : part.end]
        indent = len(_indent(own[0]))
        rows = _loaded("".join(line[indent:] or "\n" for line in own))
        row = rows[0]
        if value is None:
            row.pop(field, None)
        else:
            row[field] = value
        if field == "location" and value is not None:
            row.pop("actor", None)
            row["location"] = _flow_list(value)
        elif field == "actor" and value is not None:
            row.pop("location", None)
        elif field == "when":
            row["when"] = _flow_list([_flow_map(one) for one in value])
        if not row:
            # An empty mapping would be no node.
            row["location"] = _flow_list([0.0, 0.0, 0.0])
        made = [" " * indent + line for line in _dumped(rows).splitlines(keepends=True)]
        return self._with(part.first, part.end, made)

    def without(self, kind: str, index: int) -> str:
        """The text without a node or a rule, and without the comments above it."""
        part = self.parts(kind)[index]
        rest = self._with(part.start, part.end, [])
        if len(self.parts(kind)) == 1:
            return _without_empty(rest, kind)
        return rest

    def duplicated(self, kind: str, index: int) -> str:
        """The text with a copy of a node or a rule after it."""
        part = self.parts(kind)[index]
        return self._with(part.end, part.end, self._lines[part.first : part.end])

    def moved(self, kind: str, index: int, to: int) -> str:
        """The text with a node or a rule in another place among those of its kind."""
        parts = self.parts(kind)
        order = [*range(len(parts))]
        order.insert(to, order.pop(index))
        lines = [
            line for at in order for line in self._lines[parts[at].start : parts[at].end]
        ]  # fmt: skip
        return self._with(parts[0].start, parts[-1].end, lines)

    def added(self, kind: str, at: int, rows: Sequence[Mapping[str, Any]]) -> str:
        """The text with further nodes or rules in front of the one at `at`."""
        made = [
            _dumped(CommentedSeq([_flow_map(row)])) for row in rows
        ]  # fmt: skip
        parts = self.parts(kind)
        if not parts:
            without = _without_empty(self.text, kind)
            without += "" if not without or without.endswith("\n") else "\n"
            return f"{without}{kind}:\n" + "".join(f"  {one}" for one in made)
        indent = _indent(self._lines[parts[0].first])
        line = parts[at].start if at < len(parts) else parts[-1].end
        return self._with(line, line, [indent + one for one in made])

    def with_parts_of(self, other: "PlanDocument", kind: str, at: int) -> str:
        """The text with all nodes or rules of another one, comments and all, in front of the one at
        `at`."""
        theirs = other.parts(kind)
        if not theirs:
            return self.text
        if not self.parts(kind):
            begun = PlanDocument(self.added(kind, 0, [theirs[0].fields]))
            return PlanDocument(begun.with_parts_of(other, kind, 1)).without(kind, 0)
        parts = self.parts(kind)
        indent_before = _indent(self._lines[parts[0].first])
        lines = []
        for part in theirs:
            cut = len(_indent(other._lines[part.first]))
            for line in other._lines[part.start : part.end]:
                rest = line[min(cut, len(_indent(line))) :]
                lines.append(indent_before + rest if rest.strip() else "\n")
        where = parts[at].start if at < len(parts) else parts[-1].end
        return self._with(where, where, lines)

    def _with(self, start: int, end: int, lines: Sequence[str]) -> str:
        before = self._lines[:start]
        if before and lines and not before[-1].endswith("\n"):
            before[-1] += "\n"
        return "".join((*before, *lines, *self._lines[end:]))


# --- fields as a person types them --------------------------------------------------------------


def when_of(fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The preconditions of a rule, as far as they are mappings."""
    when = fields.get("when")
    return [one for one in when if isinstance(one, Mapping)] if isinstance(when, list) else []


def field_text(field: str, value: Any) -> str:
    """A field's value as a person types it."""
    if value is None:
        return ""
    if field == "location" and isinstance(value, list):
        return ", ".join(f"{one:g}" if isinstance(one, float) else str(one) for one in value)
    if field == "when":
        return "; ".join(_when_text(one) for one in when_of({"when": value}))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _when_text(one: Mapping[str, Any]) -> str:
    about = one.get("actor") or one.get("value") or "?"
    bounds = [f"{bound} {_bound_text(one[bound])}" for bound in _BOUNDS if bound in one]
    return f"{about} {' '.join(bounds)}"


def _bound_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def typed_value(field: str, text: str, values: Sequence[str] = ()) -> Any:
    """What a person has typed for a field; None for nothing.

    Args:
        values: The names of the game's values: what else a precondition names is an actor.

    Raises:
        PlanError: it can't be one.
    """
    text = text.strip()
    if not text:
        return None
    if field in NUMBERS:
        return _number(field, text)
    if field == "location":
        parts = [part for part in text.replace(",", " ").strip("[]() ").split() if part]
        if len(parts) != 3:
            raise PlanError(f"location: {text!r} is no place: type x, y, z")
        return [_number(field, part) for part in parts]
    if field == "when":
        return [_precondition(one, values) for one in text.split(";") if one.strip()]
    return text


def _number(field: str, text: str) -> float | int:
    try:
        value = float(text)
    except ValueError:
        raise PlanError(f"{field}: {text!r} is no number") from None
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def _precondition(text: str, values: Sequence[str]) -> dict[str, Any]:
    """`enemy within 4`, `health below 30`, `screen is popup`, `health above 1 below 30`."""
    words = text.split()
    at = next((n for n, word in enumerate(words) if word in _BOUNDS and n), 0)
    if not at or len(words) - at < 2:
        raise PlanError(
            f"when: {text.strip()!r}: type such as `enemy within 4`, `health below 30` or"
            " `screen is popup`; with `;` between several"
        )
    about = " ".join(words[:at])
    row: dict[str, Any] = {}
    is_value = words[at] != "within" or about in values
    row["value" if is_value else "actor"] = about
    rest = words[at:]
    while rest:
        bound, *rest = rest
        if bound not in _BOUNDS or not rest:
            raise PlanError(f"when: {text.strip()!r}: {bound!r} is none of {', '.join(_BOUNDS)}")
        if bound == "is":
            typed = " ".join(rest)
            row["is"] = {"true": True, "false": False}.get(typed, _maybe_number(typed))
            break
        row[bound], rest = _number("when", rest[0]), rest[1:]
    return row


def _maybe_number(text: str) -> Any:
    try:
        return _number("when", text)
    except PlanError:
        return text


# --- YAML ---------------------------------------------------------------------------------------


def _yaml() -> YAML:
    yaml = YAML(typ="rt", pure=True)
    yaml.preserve_quotes = True
    yaml.width = 4096
    return yaml


def _loaded(text: str) -> Any:
    try:
        return _yaml().load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 1 if mark is None else mark.line + 1
        raise PlanError(
            f"line {line}: this is no YAML: {error.problem or error.context}"
        ) from error
    except (YAMLError, RecursionError, ValueError) as error:
        raise PlanError(f"this is no YAML: {str(error).splitlines()[0]}") from error


def _dumped(document: Any) -> str:
    stream = StringIO()
    _yaml().dump(document, stream)
    return stream.getvalue()


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())].rstrip("\n")


def _flow_list(values: Sequence[Any]) -> CommentedSeq:
    made = CommentedSeq(values)
    made.fa.set_flow_style()
    return made


def _flow_map(fields: Mapping[str, Any]) -> CommentedMap:
    made = CommentedMap()
    for name, value in fields.items():
        if name == "when":
            made[name] = _flow_list([_flow_map(one) for one in value])
        else:
            made[name] = _flow_list(value) if isinstance(value, list | tuple) else value
    made.fa.set_flow_style()
    return made


def _without_empty(text: str, kind: str) -> str:
    """The text without a key that has no list any more."""
    document = _loaded(text)
    if not isinstance(document, CommentedMap) or kind not in document:
        return text
    line = document.lc.key(kind)[0]
    lines = text.splitlines(keepends=True)
    return "".join((*lines[:line], *lines[line + 1 :]))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, bool) or value is None:
        return value
    for kind in (int, float):
        if isinstance(value, kind):
            return kind(value)
    return str(value)
