"""The lines of the plan panel: nodes, rules and validations at a frame, and fields to be edited."""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

from ...toolkit.time_text import time_text
from .plan_yaml_document import (
    NODE_FIELDS,
    NODES,
    RULE_FIELDS,
    RULES,
    PlanDocument,
    field_text,
)
from .recorded_plan import (
    PENDING,
    PlanAtFrame,
    RecordedPlanNode,
    RecordedRule,
    RuleAnswers,
    ValidationChange,
)


class PlanRowKind(Enum):
    """What a line looks like."""

    HEADING = "heading"
    NODE = "node"
    RULE = "rule"
    FIELD = "field"
    PRECONDITION = "precondition"
    VALIDATION = "validation"
    VALUE = "value"
    WRONG = "wrong"


class PlanTextProblem(NamedTuple):
    """Something that is wrong with the text."""

    line: int
    """Counted from 1; 0 where it is about no line."""
    message: str


class PlanRow(NamedTuple):
    """A line of the panel."""

    kind: PlanRowKind
    title: str
    cell: str = ""
    """Words at its right end."""
    status: str = ""
    """`done`, `skipped`, `now`, `failed`, `waiting`, `fired`, `no`, `changed` or empty."""
    part: tuple[str, int] | None = None
    """The node or rule that it is about: `nodes` or `rules`, and its index."""
    field: str = ""
    frame: int = 0
    """Where a click leads; 0 for nowhere."""
    card: tuple[str, ...] = ()
    """What the hover card says."""

    @property
    def summary(self) -> str:
        """As plain text."""
        indent = "    " if self.kind in _INSIDE else ""
        sign = f"{SIGNS[self.status]} " if self.status in SIGNS else ""
        return f"{indent}{sign}{self.title}" + (f"   {self.cell}" if self.cell else "")


SIGNS = {
    "done": "✓", "now": "▸", "failed": "✕", "waiting": "·", "fired": "▸", "no": "✕", "yes": "✓",
    "skipped": "–",
}  # fmt: skip
_INSIDE = (PlanRowKind.FIELD, PlanRowKind.PRECONDITION, PlanRowKind.VALUE)
_MOST_VALIDATIONS = 30


def rows_of(
    record: PlanAtFrame | None, changes: Sequence[ValidationChange],
    document: PlanDocument | None = None, name: str = "", problems: Sequence[PlanTextProblem] = (),
    opened: tuple[str, int] | None = None,
) -> list[PlanRow]:  # fmt: skip
    """All lines.

    Args:
        record: The plan that is followed at the shown frame.
        changes: Its validations, the newest first.
        document: The text that is edited; without one the recorded plan is listed.
        name: What the text is called.
        opened: The node or rule whose fields are listed below it.
    """
    if record is None and document is None:
        return [PlanRow(PlanRowKind.WRONG, one.message) for one in problems]
    rows = [_heading(record, document, name)]
    if record is not None and record.progress.failure:
        rows.append(PlanRow(PlanRowKind.WRONG, record.progress.failure))
    placed: dict[tuple[str, int], list[PlanTextProblem]] = {}
    for problem in problems:
        part = document.part_at(problem.line) if document is not None and problem.line else None
        if part is None:
            rows.append(_wrong(problem))
        else:
            placed.setdefault((part.kind, part.index), []).append(problem)
    for kind, words in ((NODES, ""), (RULES, "Rules")):
        listed = _listed(record, document, kind)
        if words and (listed or document is not None):
            rows.append(PlanRow(PlanRowKind.HEADING, words, "highest priority first"))
        for index, (title, fields) in enumerate(listed):
            make = _node_row if kind == NODES else _rule_row
            rows.append(make(index, title, fields, record))
            rows += [_wrong(one, (kind, index)) for one in placed.get((kind, index), ())]
            if document is not None and opened == (kind, index):
                rows += _fields(kind, index, fields)
            if kind == RULES:
                rows += _preconditions(index, title, record)
    if changes:
        rows.append(PlanRow(PlanRowKind.HEADING, "Validations", "values before → after"))
    for change in changes[:_MOST_VALIDATIONS]:
        rows += _validation(change)
    return rows


def _listed(
    record: PlanAtFrame | None, document: PlanDocument | None, kind: str
) -> list[tuple[str, Mapping[str, Any]]]:
    if document is not None:
        return [(part.title, part.fields) for part in document.parts(kind)]
    assert record is not None
    parts: Sequence[RecordedPlanNode | RecordedRule] = (
        record.plan.nodes if kind == NODES else record.plan.rules
    )
    return [(part.title, recorded_fields(part)) for part in parts]


def recorded_fields(part: RecordedPlanNode | RecordedRule) -> dict[str, Any]:
    """The fields of a recorded node or rule that are not as usual."""
    names = NODE_FIELDS if isinstance(part, RecordedPlanNode) else RULE_FIELDS
    details = {name: getattr(part, name) for name in names if name != "when"}
    usual = {"", None, "walk", 0.0}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in details.items()
        if isinstance(value, tuple) or value not in usual
    }


def _heading(record: PlanAtFrame | None, document: PlanDocument | None, name: str) -> PlanRow:
    game = document.game if document is not None else record.plan.game if record else ""
    words = " · ".join(filter(None, (name or "Plan", game)))
    if record is None:
        return PlanRow(
            PlanRowKind.HEADING, words, f"{len(document.nodes if document else ())} nodes"
        )
    progress, count = record.progress, len(record.plan.nodes)
    if progress.failure:
        return PlanRow(PlanRowKind.HEADING, words, f"failed at node {progress.node}")
    if progress.node > count:
        done = f"all {count} nodes are done"
        if progress.begin > 1:
            done = f"nodes {progress.begin} to {count} are done"
        return PlanRow(PlanRowKind.HEADING, words, done)
    return PlanRow(PlanRowKind.HEADING, words, f"node {progress.node} of {count}")


def _node_row(
    index: int, title: str, fields: Mapping[str, Any], record: PlanAtFrame | None
) -> PlanRow:
    status, cell = "", ""
    nodes = record.plan.nodes if record is not None else ()
    if record is not None and index < len(nodes) and nodes[index].title == title:
        progress, number = record.progress, index + 1
        checked = progress.validations[index] if index < len(progress.validations) else "none"
        if number < progress.begin:
            status, cell = "skipped", "skipped"
        elif number < progress.node:
            status = "done"
        elif number == progress.node:
            status = "failed" if progress.failure else "now"
        else:
            status = "waiting"
        if checked != "none":
            cell = checked.replace("_", " ")
        elif status == "now" and progress.doing.startswith("rule "):
            cell = "interrupted"
    extra = [
        f"{name.replace('_', ' ')} {field_text(name, fields[name])}"
        for name in ("movement", "tolerance", "wait", "wait_after", "time_limit")
        if name in fields
    ]  # fmt: skip
    words = " · ".join((f"{index + 1}  {title}", *extra))
    card = (f"node {index + 1}: {title}", *(f"{n}: {field_text(n, v)}" for n, v in fields.items()))
    return PlanRow(PlanRowKind.NODE, words, cell, status, (NODES, index), card=card)


def answers_for(title: str, record: PlanAtFrame | None) -> RuleAnswers | None:
    """What a rule looked at at the shown frame."""
    rules = record.rules if record is not None else ()
    return next((one for one in rules if one.title == title), None)


def _rule_row(
    index: int, title: str, fields: Mapping[str, Any], record: PlanAtFrame | None
) -> PlanRow:
    answers = answers_for(title, record)
    running = record is not None and record.progress.doing == f"rule {title}"
    status, cell = "", ""
    if answers is not None:
        why = next((reason for _, _, reason in answers.when if reason), "")
        if running:
            status, cell = "fired", "carried out"
        elif why:
            status, cell = "waiting", ""
        elif answers.won:
            status, cell = "fired", "fires"
        else:
            status, cell = "waiting", "a higher rule is carried out"
    priority = fields.get("priority")
    if priority is not None:
        cell = " · ".join(filter(None, (cell, f"priority {field_text('priority', priority)}")))
    card = (f"rule {title}", *(f"{n}: {field_text(n, v)}" for n, v in fields.items()))
    return PlanRow(PlanRowKind.RULE, title, cell, status, (RULES, index), card=card)


def _preconditions(index: int, title: str, record: PlanAtFrame | None) -> Iterator[PlanRow]:
    answers = answers_for(title, record)
    for text, value, reason in answers.when if answers is not None else ():
        cell = "none" if value is None else value_text(value)
        yield PlanRow(
            PlanRowKind.PRECONDITION, text, cell, "no" if reason else "yes", (RULES, index),
            card=(text, reason or "holds"),
        )  # fmt: skip


def _fields(kind: str, index: int, fields: Mapping[str, Any]) -> Iterator[PlanRow]:
    for name in NODE_FIELDS if kind == NODES else RULE_FIELDS:
        text = field_text(name, fields.get(name))
        yield PlanRow(
            PlanRowKind.FIELD, name.replace("_", " "), text or "–", part=(kind, index), field=name,
            card=(name.replace("_", " "), "Enter or a click changes it"),
        )  # fmt: skip


def _validation(one: ValidationChange) -> Iterator[PlanRow]:
    status = "now" if one.status == PENDING else "done" if one.status == "passed" else "failed"
    words = "waiting" if one.status == PENDING else one.status.replace("_", " ")
    change = one.change
    when = time_text(change.time)
    yield PlanRow(
        PlanRowKind.VALIDATION, one.title, f"{words}  {when}", status, frame=change.frame,
        card=(f"{one.title}: {words}", change.trace.won, f"{when}   frame {change.frame}"),
    )  # fmt: skip
    if status == "failed":
        yield PlanRow(PlanRowKind.WRONG, change.trace.won, frame=change.frame)
    for name, before, after in one.values:
        shown = value_text(before)
        if status != "now":
            shown = f"{shown} → {value_text(after)}"
        yield PlanRow(
            PlanRowKind.VALUE, name, shown, "changed" if before != after else "",
            frame=change.frame,
        )  # fmt: skip


def _wrong(problem: PlanTextProblem, part: tuple[str, int] | None = None) -> PlanRow:
    line = f"line {problem.line}: " if problem.line else ""
    return PlanRow(PlanRowKind.WRONG, f"{line}{problem.message}", part=part)


def value_text(value: object) -> str:
    """A value in few characters."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
