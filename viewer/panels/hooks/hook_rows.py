"""The rows of the hooks panel: each hook with its count, and the edits of this pause."""

from collections.abc import Sequence
from typing import NamedTuple

from ....hooks.hook_definition import HookState
from ....hooks.object_edits import AppliedEdit
from ....recorder.text.how_often_in_words import how_often

SIGNS = {"break": "●", "trace": "◆", "replace": "⇄", "mock": "≡"}


class HookRow(NamedTuple):
    """A hook, or an edit, as it is listed."""

    sign: str
    text: str
    note: str
    """What it has done, or why it can't act."""
    state: str
    """That of the hook; `edit`, or `heading`."""
    hook: HookState | None = None
    frame: int = 0
    """Where it acted last; 0 for nowhere."""


def hook_rows(
    hooks: Sequence[HookState], edits: Sequence[AppliedEdit], names: dict[int, str]
) -> list[HookRow]:
    """All hooks, and below them the edits of this pause.

    Args:
        names: What objects are called, by id.
    """
    rows = []
    for one in hooks:
        spec = one.hook
        text = f"{spec.location.text} · {names.get(spec.object, f'object {spec.object}')}"
        if spec.kind == "replace":
            text += f" ⇒ {_result(spec.result)}"
        if spec.when:
            text += f" when {spec.when}"
        rows.append(HookRow(SIGNS[spec.kind], text, note_of(one), one.state, one, one.last))
    if edits:
        rows.append(HookRow("", "Edited, and not run on yet", "", "heading"))
    for edit in edits:
        whose = "" if edit.is_key else f"{names.get(edit.object, f'object {edit.object}')} · "
        rows.append(HookRow("✎", f"{whose}{edit.name}", f"{edit.before} → {edit.after}", "edit"))
    return rows


def note_of(hook: HookState) -> str:
    """What a hook has done so far."""
    if hook.note:
        return f"{hook.state}: {hook.note}"
    count = how_often(hook.hits) if hook.hits else "not yet"
    state = "" if hook.state == "armed" else f"{hook.state} · "
    return f"{state}{count}" + (f" · {hook.text}" if hook.text else "")


def _result(result: object) -> str:
    return "stay" if result is None else str(result)
