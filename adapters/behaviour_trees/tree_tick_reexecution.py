"""Ticks a program's tree of py_trees again, on the recorded blackboard."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Composite

from ...errors import CommandError
from ...recorder.fault_counts import error_text
from ...recorder.packets.reexecutable_decisions import DecisionResult, NodeResult
from ...recorder.text.safe_text import safe_text
from ...recording.decisions.decider_loader import function_of, loaded, member
from ...recording.decisions.recorded_decisions import TickInputs
from ...recording.decisions.tree_choices import choice_of_nodes, node_paths
from .reexecution_blackboard import ReexecutionBlackboard
from .tree_definition import definition_of, nodes_in_order

_MOST_TOLD = 5


def decider(settings: Any) -> Callable[[Mapping[str, Any]], DecisionResult]:
    """Ticks the tree that a function returns; it is called for each decision."""
    if settings["edit"]:
        file = settings["edit"]
        module = loaded(Path(file), f"{Path(file).stem}_edited")
        factory = member(module, settings["function"].rpartition(":")[2], file)
    else:
        factory = function_of(
            settings["function"], settings.get("file", ""), is_trusted=settings["is_trusted"]
        )

    def decide_again(inputs: Mapping[str, Any]) -> DecisionResult:
        tick = TickInputs(**inputs["tick"])
        board = ReexecutionBlackboard()
        with board.in_place():
            tree = factory()
            root = getattr(tree, "root", tree)
            if not isinstance(root, Behaviour):
                raise CommandError(
                    f"{settings['function']} returned a {type(tree).__name__}: it must return a"
                    " tree of py_trees, or its root"
                )
            board.fill(tick.blackboard)
            return _ticked(root, tick, board)

    return decide_again


def edited_settings(settings: Any, file: Path) -> Any:
    """A Python file that has a function of the same name."""
    return {**settings, "edit": str(file)}


def tick_nodes(root: Behaviour) -> tuple[NodeResult, ...]:
    """Tick a tree once; returns each node's status after it, as in a recording."""
    nodes, parents = nodes_in_order(root)
    seen: dict[int, Status] = {}
    for node in root.tick():
        seen[id(node)] = node.status
    answers = []
    for node, one in zip(nodes, definition_of(nodes, parents), strict=True):
        status = seen.get(id(node))
        feedback = node.feedback_message
        reason = feedback if isinstance(feedback, str) else safe_text(feedback)
        if status is None or status is Status.INVALID:
            answers.append(NodeResult(one.name, one.kind, one.parent))
            continue
        lacks = getattr(node, "lacks", None) if status is Status.FAILURE else None
        answers.append(NodeResult(
            one.name, one.kind, one.parent, status.value.lower(), reason,
            float(lacks()) if callable(lacks) else None,
        ))  # fmt: skip
    return tuple(answers)


def _ticked(root: Behaviour, tick: TickInputs, board: ReexecutionBlackboard) -> DecisionResult:
    nodes, parents = nodes_in_order(root)
    paths = node_paths([str(node.name) for node in nodes], parents)
    recorded = node_paths(tick.names, tick.parents)
    notes: list[str] = []
    if tick.before:
        _set_statuses(nodes, paths, dict(zip(recorded, tick.before, strict=True)))
    else:
        notes.append("how its nodes stood before this tick is not recorded")
    after = dict(zip(recorded, tick.after, strict=True))
    for node, path in zip(nodes, paths, strict=True):
        if not node.children:
            _guard(node, path, after.get(path, ""), notes)
    answers = tick_nodes(root)
    outcome = {
        key: value
        for key, value in board.entries.items()
        if key not in tick.blackboard or tick.blackboard[key] != value
    }
    choice = choice_of_nodes(answers)
    if len(notes) > _MOST_TOLD:
        notes[_MOST_TOLD:] = [f"and {len(notes) - _MOST_TOLD} more of these"]
    return DecisionResult(choice.target, nodes=answers, outcome=outcome, notes=tuple(notes))


def _set_statuses(nodes: list[Behaviour], paths: list[str], statuses: dict[str, str]) -> None:
    """Have nodes stand as they did before the tick."""
    for node, path in zip(nodes, paths, strict=True):
        status = statuses.get(path, "")
        node.status = Status[status.upper()] if status else Status.INVALID
    for node in nodes:
        if isinstance(node, Composite) and node.status is Status.RUNNING:
            node.current_child = next(
                (child for child in node.children if child.status is Status.RUNNING), None
            )


def _guard(node: Behaviour, path: str, recorded: str, notes: list[str]) -> None:
    """Use a leaf's recorded status where it raises, since there is no game here."""
    update = node.update

    def guarded() -> Status:
        try:
            return update()
        except Exception as error:
            what = f"{path} raised {error_text(error)}"
            if recorded:
                notes.append(f"{what}: its recorded status, {recorded}, is used")
                return Status[recorded.upper()]
            notes.append(f"{what}: it was not ticked then, so that failure is used")
            return Status.FAILURE

    def quiet(call: Callable[..., object]) -> Callable[..., None]:
        def called(*args: Any) -> None:
            try:
                call(*args)
            except Exception as error:
                notes.append(f"{path} raised {error_text(error)}")

        return called

    node.update = guarded  # type: ignore[method-assign]
    node.initialise = quiet(node.initialise)  # type: ignore[method-assign]
    node.terminate = quiet(node.terminate)  # type: ignore[method-assign]
