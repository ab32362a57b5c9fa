"""Checks a workspace: every name and expression, and the names that a game must have."""

import ast
from collections.abc import Collection, Iterable
from pathlib import Path

from ....errors import TreeError
from ....games.tree_body_interface import TreeBody
from ....recorder.text.name_hint import name_hint
from ..built_in_keys import BUILT_IN
from ..expression_types import kind_of, misused
from ..expressions import Expression
from .tree_checker import check_trees, problems_text
from .workspace import Workspace
from .workspace_file_reader import DataFile, KeyPath, WorkspaceProblem


def load_workspace(folder: Path) -> Workspace:
    """The workspace in a folder, for which all is right; there may be warnings.

    Raises:
        TreeError: something is wrong; the message lists all of it, a line each.
    """
    workspace = Workspace(folder)
    wrong = [one for one in check_workspace(workspace) if not one.is_warning]
    if wrong:
        raise TreeError(problems_text(wrong))
    return workspace


def check_workspace(workspace: Workspace) -> list[WorkspaceProblem]:
    """All that is wrong with a workspace that was just read, files in their order."""
    _ItemChecker(workspace).check()
    check_trees(workspace)
    workspace.problems[:] = dict.fromkeys(workspace.problems)  # two checks may find the same one
    order = {file.name: rank for rank, file in enumerate(workspace.files.values())}
    workspace.problems.sort(key=lambda one: (order.get(one.file, -1), one.line))
    return workspace.problems


def check_for_body(workspace: Workspace, body: TreeBody, whose: str) -> list[WorkspaceProblem]:
    """What a workspace names that a body of a game does not have; `whose` is what it is called."""
    problems: list[WorkspaceProblem] = []
    formats = workspace.files["formats"]
    for key, one in workspace.formats.items():
        if (one.source or key) not in body.values:
            fault = f"{key}: {whose} has no value {one.source or key!r}"
            hint = name_hint(one.source or key, body.values)
            problems.append(
                WorkspaceProblem(formats.name, formats.line((key,)), f"{fault}: {hint}")
            )
    for name, command in workspace.commands.items():
        can = body.commands.get(name)
        file, line = workspace.files["commands"].name, workspace.command_lines[name]
        if can is None:
            fault = f"{whose} has no command {name!r}: {name_hint(name, body.commands)}"
            problems.append(WorkspaceProblem(file, line, fault))
        elif command.low < can.low or command.high > can.high:
            fault = f"{name}: {whose} takes {can.low:g} to {can.high:g}"
            problems.append(
                WorkspaceProblem(file, line, f"{fault}, not {command.low:g} to {command.high:g}")
            )
    return problems


class _ItemChecker:
    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        written = {key for action in workspace.action_nodes.values() for key in action.write}
        begun = {key for agent in workspace.agents.values() for key in agent.start}
        self.keys = {*workspace.formats, *written, *begun, *BUILT_IN}
        self.kinds = self._kinds()
        self.places = {
            *workspace.map.places, *written,
            *(key for key, one in workspace.formats.items() if one.type == "place"),
        }  # fmt: skip

    def _kinds(self) -> dict[str, str]:
        """The type of each key, as far as it is known; a key that is written may get a value of
        another type: then its type is not known."""
        workspace = self.workspace
        kinds = {key: kind_of(value) for key, value in BUILT_IN.items()}
        for key, one in workspace.formats.items():
            kinds[key] = "text" if one.type == "object" else one.type
        found: dict[str, set[str]] = {}
        for agent in workspace.agents.values():
            for key, value in agent.start.items():
                found.setdefault(key, set()).add(kind_of(value))
        for action in workspace.action_nodes.values():
            for key, value in action.write.items():
                # What an expression comes to would have to be worked out in the order of writing.
                found.setdefault(key, set()).add("" if isinstance(value, str) else kind_of(value))
        for key, each in found.items():
            if key not in kinds:
                kinds[key] = next(iter(each)) if len(each) == 1 else ""
        return kinds

    def check(self) -> None:
        self._check_formats()
        self._check_operations()
        self._check_actions()
        self._check_triggers()
        self._check_starts()

    def _check_formats(self) -> None:
        for key, one in self.workspace.formats.items():
            file = self.workspace.files["formats"]
            if not key.isidentifier():
                file.complain(f"{key}: a key is a name: letters, digits and _", (key,))
            if key in BUILT_IN:
                file.complain(f"{key}: this key is always there, it needs no format", (key,))
            kinds = {"number": (int, float), "flag": (bool,), "place": (tuple,)}
            fits = isinstance(one.default, kinds.get(one.type, (str,)))
            if one.default is not None and not fits:
                fault = f"{key}: its default {one.default!r} is no {one.type}"
                file.complain(fault, (key, "default"))

    def _check_operations(self) -> None:
        file, known = self.workspace.files["key_operations"], self.workspace.commands
        for name, operation in self.workspace.key_operations.items():
            for command, value in operation.commands.items():
                key_path = (name, "commands", command)
                if command not in known:
                    self._unknown(file, key_path, name, "command", command, known)
                elif not isinstance(value, str):
                    low, high = known[command].low, known[command].high
                    if not low <= value <= high:
                        fault = f"{name}: {command} is {value:g}: it goes from {low:g} to {high:g}"
                        file.complain(fault, key_path)
                if isinstance(value, str):
                    self._check_expression(file, key_path, name, value)

    def _check_actions(self) -> None:
        file = self.workspace.files["action_nodes"]
        for name, action in self.workspace.action_nodes.items():
            for index, operation in enumerate(action.operations):
                if operation not in self.workspace.key_operations:
                    known, at = self.workspace.key_operations, (name, "operations", index)
                    self._unknown(file, at, name, "key operation", operation, known)
            for key, value in action.write.items():
                key_path = (name, "write", key)
                if not key.isidentifier():
                    file.complain(
                        f"{name}: {key!r}: a key is a name: letters, digits and _", key_path
                    )
                if key in BUILT_IN or key in self.workspace.formats:
                    fault = f"{name}: {key} is set by the game: write another key"
                    file.complain(fault, key_path)
                if isinstance(value, str):
                    self._check_expression(file, key_path, name, value)
            if action.goal and self._is_no_place(action.goal):
                fault = f"{name}: {action.goal} is a {self.kinds[action.goal]}, and no place"
                file.complain(fault, (name, "goal"))
            elif action.goal and action.goal not in self.places:
                self._unknown(file, (name, "goal"), name, "place", action.goal, self.places)
            nothing = not (action.operations or action.write or action.goal)
            if nothing and name not in _damaged(file, self.workspace):
                file.complain(f"{name}: it does nothing", (name,), warning=True)

    def _check_triggers(self) -> None:
        file = self.workspace.files["trigger_nodes"]
        for name, trigger in self.workspace.trigger_nodes.items():
            given = [one for one in ("when", "python", "reachable") if getattr(trigger, one)]
            if len(given) != 1:
                has = " and ".join(given) or "none of them"
                fault = f"{name}: give exactly one of when, python and reachable, not {has}"
                file.complain(fault, (name,))
            if trigger.when:
                self._check_expression(file, (name, "when"), name, trigger.when)
            if trigger.python:
                self._check_python(file, name, trigger.python)
            if trigger.reachable and self._is_no_place(trigger.reachable):
                kind = self.kinds[trigger.reachable]
                fault = f"{name}: {trigger.reachable} is a {kind}, and no place"
                file.complain(fault, (name, "reachable"))
            elif trigger.reachable and trigger.reachable not in self.places:
                key_path = (name, "reachable")
                self._unknown(file, key_path, name, "place", trigger.reachable, self.places)

    def _is_no_place(self, key: str) -> bool:
        """Whether a key is known to be something else; places of the map come first."""
        if key in self.workspace.map.places:
            return False
        return self.kinds.get(key, "") not in ("", "place")

    def _check_starts(self) -> None:
        for name, agent in self.workspace.agents.items():
            for key in agent.start:
                if key in BUILT_IN or key in self.workspace.formats or not key.isidentifier():
                    fault = f"agent {name!r}: {key} is set by the game, or is no name"
                    key_path = ("agents", name, "start", key)
                    self.workspace.files["tree_structure"].complain(fault, key_path)

    def _check_expression(self, file: DataFile, key_path: KeyPath, name: str, text: str) -> None:
        try:
            expression = Expression(text)
        except TreeError as error:
            file.complain(f"{name}: {error}", key_path)
            return
        for key in sorted(expression.keys - self.keys):
            self._unknown(file, key_path, name, "key", key, self.keys)
        for fault in misused(text, self.kinds):
            file.complain(f"{name}: {text!r}: {fault}", key_path)
        objects = self.workspace.objects
        for key, value in expression.comparisons:
            one = self.workspace.formats.get(key)
            is_object = one is not None and one.type == "object"
            if is_object and value and value not in objects:
                self._unknown(file, key_path, name, "object", value, objects)

    def _check_python(self, file: DataFile, name: str, text: str) -> None:
        module, colon, function = text.partition(":")
        key_path = (name, "python")
        if not (colon and module.isidentifier() and function.isidentifier()):
            file.complain(
                f"{name}: {text!r}: write FILE:FUNCTION, such as my_triggers:near", key_path
            )
            return
        path = self.workspace.folder / f"{module}.py"
        found = _functions(path)
        if isinstance(found, str):
            file.complain(f"{name}: {module}.py: {found}", key_path)
        elif function not in found:
            self._unknown(file, key_path, name, f"function in {module}.py", function, found)

    def _unknown(
        self,
        file: DataFile,
        key_path: KeyPath,
        name: str,
        what: str,
        given: str,
        known: Iterable[str],
    ) -> None:
        file.complain(f"{name}: there is no {what} {given!r}: {name_hint(given, known)}", key_path)


def _damaged(file: DataFile, workspace: Workspace) -> Collection[str]:
    """Items of a file that were that replace damaged ones, which are not reported twice."""
    messages = [one.message for one in workspace.problems if one.file == file.name]
    return {message.partition(":")[0] for message in messages}


def _functions(path: Path) -> list[str] | str:
    """The functions that a Python file defines, which is not executed; or why there are none."""
    try:
        tree = ast.parse(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        return "there is no such file" if isinstance(error, OSError) else f"{error}"
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
