"""Ticks of a workspace's agent with all that they depend on, recorded and made again."""

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from py_trees.behaviour import Behaviour
from py_trees.common import Status

from ...adapters.behaviour_trees.reexecution_blackboard import ReexecutionBlackboard
from ...adapters.behaviour_trees.tree_tick_reexecution import tick_nodes
from ...errors import TreeError
from ...games.tree_body_interface import Place, TreeValue
from ...recorder.packets.reexecutable_decisions import DecisionMaker, DecisionResult
from ...recorder.statements.decision_maker_reference import digest_of, maker_from
from ...recording.decisions.tree_choices import choice_of_nodes
from .paths.path_follower import State
from .tree_builder import build_tree, clamped, keys_of, keys_written
from .tree_nodes import Count
from .workspace.workspace import Workspace
from .workspace.workspace_checker import load_workspace

ANSWERS, COUNTS = "(answers)", "(counts)"
"""Inputs that are no keys: what was answered about ways, and how far counting nodes were."""
MOST_BYTES = 200_000
"""Bytes of a workspace's files that a recording takes in; a larger one must be where it was."""
_SUFFIXES = (".json", ".yml", ".yaml", ".tsv")


class WayAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a leaf was answered about a way."""

    goal: tuple[float, ...]
    state: State
    asks: str = ""
    """The leaf that asked whether there is a way, by its path; empty if it goes there."""
    written: dict[str, float] = {}
    """What became known of the way, by the key."""


def maker_of(workspace: Workspace, agent: str) -> DecisionMaker:
    """The maker of decisions: an agent of a workspace, with the workspace's files."""
    folder = workspace.folder.resolve()
    files = files_of(folder)
    if sum(map(len, files.values())) > MOST_BYTES:
        files = {}
    code = {path.name: digest_of(path) for path in sorted(folder.glob("*.py"))}
    settings = {"folder": str(folder), "agent": agent, "files": files, "code": code}
    return maker_from("workspace agent", decider, settings)


def files_of(folder: Path) -> dict[str, str]:
    """The texts of a workspace's files, by their paths in it. Code is not among them: what comes
    out of a recording is never executed."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in _SUFFIXES and path.is_file():
            try:
                found[path.relative_to(folder).as_posix()] = path.read_text(encoding="utf-8")
            except (OSError, ValueError):
                continue  # whoever reads the workspace complains of it
    return found


def counts_of(nodes: Iterable[Behaviour]) -> dict[str, int]:
    """How far each counting node is that goes on, by its place in the tree."""
    return {
        str(index): node.count
        for index, node in enumerate(nodes)
        if isinstance(node, Count) and node.status is Status.RUNNING
    }


def decider(settings: Any) -> Callable[[Mapping[str, Any]], DecisionResult]:
    """Ticks an agent of a workspace, by the folder if it is as it was, else by the recorded
    files."""
    workspace = load_workspace(_folder(settings))
    return _RecordedAgent(workspace, settings["agent"]).decide


def edited_settings(settings: Any, file: Path) -> Any:
    """Another workspace; or the same with one of its files replaced, by the file's name.

    Raises:
        TreeError: no file of the workspace is called that.
    """
    if file.is_dir():
        return {**settings, "folder": str(file.resolve()), "files": {}, "code": {}}
    files = settings["files"] or files_of(Path(settings["folder"]))
    replaced = [name for name in files if Path(name).name == file.name]
    if not replaced and file.suffix == ".json":
        replaced = [name for name in files if Path(name).name == "tree_structure.json"]
    if not replaced:
        raise TreeError(
            f"{file}: give a workspace, or one of its files under its own name:"
            f" {', '.join(sorted(Path(name).name for name in files))}"
        )
    text = file.read_text(encoding="utf-8")
    return {**settings, "files": {**files, replaced[0]: text}}


class _RecordedAgent:
    """An agent without a game: it reads what was recorded. It is what its leaves act through."""

    def __init__(self, workspace: Workspace, name: str) -> None:
        self._workspace = workspace
        self._board = ReexecutionBlackboard()
        self._notes: list[str] = []
        self._commands: dict[str, float] = {}
        self._answers: list[WayAnswer] = []
        self.namespace = "/agent"
        self.keys = keys_of(workspace, name)
        self._written = keys_written(workspace)
        with self._board.in_place():
            self._root = build_tree(workspace, name, self)
        self._nodes = list(nodes_below(self._root))

    def decide(self, inputs: Mapping[str, Any]) -> DecisionResult:
        before = {name: _place(inputs[name]) for name in inputs if name[0] != "("}
        answers = inputs.get(ANSWERS, ())
        self._answers = [msgspec.convert(one, WayAnswer) for one in answers]
        self._notes, self._commands = [], {}
        with self._board.in_place():
            self._root.stop(Status.INVALID)
            for index, count in inputs.get(COUNTS, {}).items():
                node = self._nodes[int(index)] if int(index) < len(self._nodes) else None
                if isinstance(node, Count):
                    node.count, node.status = count, Status.RUNNING
            self._board.fill({f"{self.namespace}/{key}": value for key, value in before.items()})
            nodes = tick_nodes(self._root)
            outcome: dict[str, Any] = dict(self._commands)
            outcome.update(written_by(self._written, before, self._value))
        choice = choice_of_nodes(nodes)
        return DecisionResult(choice.target, nodes=nodes, outcome=outcome, notes=tuple(self._notes))

    def _value(self, key: str) -> Any:
        return self._board.entries.get(f"{self.namespace}/{key}")

    # --- what leaves do -------------------------------------------------------------------------

    def give(self, commands: Mapping[str, float]) -> None:
        known = self._workspace.commands
        for name, value in commands.items():
            self._commands[name] = clamped(name, value, known[name])

    def go_to(self, goal: Place) -> State:
        answer = self._answer("", goal)
        if answer is None:
            return "pending"
        for key, value in answer.written.items():
            self._board.entries[f"{self.namespace}/{key}"] = value
        self._board.entries[f"{self.namespace}/way"] = answer.state
        return answer.state

    def is_reachable(self, key: str, goal: Place) -> State:
        answer = self._answer(key, goal)
        return "pending" if answer is None else answer.state

    def failed(self, path: str, error: Exception) -> str:
        message = str(error) if isinstance(error, TreeError) else f"it raised {error!r:.160}"
        return f"error: {message}"

    def _answer(self, asks: str, goal: Place) -> WayAnswer | None:
        for one in self._answers:
            if one.asks == asks and one.goal == tuple(goal):
                return one
        for one in self._answers:  # another leaf has asked for the same
            if one.goal == tuple(goal):
                return one
        where = ", ".join(f"{value:.1f}" for value in goal)
        note = f"no path to ({where}) was requested then: it counts as not known yet"
        self._notes.append(note)
        return None


def written_by(
    keys: Iterable[str], before: Mapping[str, Any], value: Callable[[str], Any]
) -> dict[str, Any]:  # fmt: skip
    """The keys written by actions whose values have changed, with a slash in front."""
    now = {key: value(key) for key in sorted(keys)}
    return {f"/{key}": one for key, one in now.items() if one != before.get(key)}


def nodes_below(root: Behaviour) -> Iterable[Behaviour]:
    """A node and all below it, a parent before its children."""
    yield root
    for child in root.children:
        yield from nodes_below(child)


def _place(value: Any) -> TreeValue:
    """Places are tuples; they are recorded as lists."""
    return tuple(value) if isinstance(value, list) else value


def _folder(settings: Any) -> Path:
    """The workspace as a folder: a copy of what was recorded, if that is not there any more."""
    files, folder, code = settings["files"], Path(settings["folder"]), settings["code"]
    if not files or (folder.is_dir() and files_of(folder) == files):
        return folder
    copy = Path(tempfile.mkdtemp(prefix="playhead-workspace-"))
    weakref.finalize(_keeper, shutil.rmtree, copy, ignore_errors=True)
    for name, text in files.items():
        path = copy / name
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise TreeError(f"{name!r} is no file of a workspace: the recording is damaged")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name in code:
        if Path(name).name != name or not (folder / name).is_file():
            raise TreeError(
                f"{folder / name} is not there: code is never taken out of a recording; put it"
                " there, or give the workspace with it as an edit"
            )
        shutil.copy(folder / name, copy / name)
    return copy


class _Keeper:
    """Lives as long as the process: what is tied to it is removed at the end."""


_keeper = _Keeper()
