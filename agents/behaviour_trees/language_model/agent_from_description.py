"""Makes an agent from a description: five questions to a language model, each answer checked.

The result is merged into a copy of the workspace and checked like any workspace. Mistakes are sent
back to the model once. If its second answer is wrong too, nothing is written.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ....errors import TreeError
from ....games.tree_body_interface import TreeBody
from ..built_in_keys import BUILT_IN
from ..workspace.workspace import Workspace
from ..workspace.workspace_checker import check_for_body, check_workspace
from ..workspace.workspace_items import ITEM_FILES
from ..workspace.workspace_writer import add_agent, add_items
from . import prompts
from .answer_schemas import (
    Formats,
    MissingLeaves,
    Operations,
    Selection,
    Structure,
    action_of,
    agent_of,
    format_of,
    node_of,
    operation_of,
    trigger_of,
)
from .chat_endpoint import ChatEndpoint
from .model_dialogue import ask

Progress = Callable[[str], object]


def make_agent(
    folder: Path, name: str, wish: str, body: TreeBody, endpoint: ChatEndpoint, drives: str,
    on_step: Progress = lambda step: None,
) -> Workspace:  # fmt: skip
    """Add an agent that does what is wished to the workspace in a folder.

    Raises:
        TreeError: the model does not answer, or not usefully; then the folder is as it was.
    """
    workspace = Workspace(folder)
    if name in workspace.agents:
        raise TreeError(f"{workspace.name} has an agent {name!r} already: give another name")
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / workspace.name
        shutil.copytree(folder, copy)
        maker = _Maker(copy, name, wish, body, endpoint, drives)
        for step in (maker.formats, maker.operations, maker.leaves, maker.structure):
            on_step(step.__name__)
            step()
        for file in (*ITEM_FILES, "tree_structure"):
            made = copy / "tree_items" / f"{file}.json"
            shutil.copyfile(made, folder / "tree_items" / made.name)
    return Workspace(folder)


class _Maker:
    def __init__(
        self,
        folder: Path,
        name: str,
        wish: str,
        body: TreeBody,
        endpoint: ChatEndpoint,
        drives: str,
    ) -> None:
        self._folder, self._name, self._wish = folder, name, wish
        self._body, self._endpoint, self._drives = body, endpoint, drives
        self._leaves: tuple[list[str], list[str]] = ([], [])
        """Names of the actions and the triggers that the tree may be made of."""

    def formats(self) -> None:
        """Choose what the agent looks at."""
        now = self._now
        question = prompts.FORMATS.format(
            values=_listed(self._body.values), places=_listed(now.map.places)
        )
        answer = ask(
            self._endpoint, Formats, question, self._wish,
            lambda made: self._tried("formats", {one.name: format_of(one) for one in made.formats}),
        )  # fmt: skip
        add_items(self._folder, "formats", {one.name: format_of(one) for one in answer.formats})

    def operations(self) -> None:
        """Make basic operations."""
        now = self._now
        commands = (
            f"{one.command} ({one.low:g} to {one.high:g}) {one.about}"
            for one in now.commands.values()
        )
        question = prompts.OPERATIONS.format(commands=_listed(commands), keys=_listed(self._keys))
        answer = ask(
            self._endpoint, Operations, question, self._wish,
            lambda made: self._tried(
                "key_operations", {one.name: operation_of(one) for one in made.operations}
            ),
        )  # fmt: skip
        made = {one.name: operation_of(one) for one in answer.operations}
        add_items(self._folder, "key_operations", made)

    def leaves(self) -> None:
        """Choose leaves that there are, and make those that are missing."""
        now = self._now
        actions, triggers = now.action_nodes, now.trigger_nodes
        if actions or triggers:
            question = prompts.SELECTION.format(
                actions=_described(actions), triggers=_described(triggers)
            )

            def unknown(made: Selection) -> list[str]:
                pairs = ((made.actions, actions, "action"), (made.triggers, triggers, "trigger"))
                return [
                    f"there is no {kind} {name!r}"
                    for names, known, kind in pairs
                    for name in names
                    if name not in known
                ]

            chosen = ask(self._endpoint, Selection, question, self._wish, unknown)
            self._leaves = (chosen.actions, chosen.triggers)
        question = prompts.ITEMS.format(
            chosen=_listed((*self._leaves[0], *self._leaves[1])), keys=_listed(self._keys),
            operations=_described(now.key_operations), places=_listed(now.map.places),
        )  # fmt: skip
        answer = ask(self._endpoint, MissingLeaves, question, self._wish, self._wrong_items)
        made_actions = {one.name: action_of(one) for one in answer.actions}
        made_triggers = {one.name: trigger_of(one) for one in answer.triggers}
        add_items(self._folder, "action_nodes", made_actions)
        add_items(self._folder, "trigger_nodes", made_triggers)
        self._leaves = (
            [*self._leaves[0], *made_actions], [*self._leaves[1], *made_triggers]
        )  # fmt: skip

    def structure(self) -> None:
        """Build the tree."""
        now = self._now
        actions, triggers = self._leaves
        question = prompts.STRUCTURE.format(
            actions=_described({name: now.action_nodes[name] for name in actions}),
            triggers=_described({name: now.trigger_nodes[name] for name in triggers}),
        )
        answer = ask(self._endpoint, Structure, question, self._wish, self._wrong_structure)
        self._add_structure(self._folder, answer)

    def _add_structure(self, folder: Path, made: Structure) -> None:
        agent = agent_of(made, self._wish[:200], self._drives)
        add_agent(folder, self._name, agent, {one.name: node_of(one) for one in made.nodes})

    def _wrong_items(self, made: MissingLeaves) -> list[str]:
        actions = {one.name: action_of(one) for one in made.actions}
        triggers = {one.name: trigger_of(one) for one in made.triggers}

        def lay(folder: Path) -> None:
            add_items(folder, "action_nodes", actions)
            add_items(folder, "trigger_nodes", triggers)

        taken = self._taken("action_nodes", actions) + self._taken("trigger_nodes", triggers)
        return taken + self._problems(lay, ("action_nodes", "trigger_nodes"))

    def _wrong_structure(self, made: Structure) -> list[str]:
        nodes = [one.name for one in made.nodes]
        known = self._now.nodes
        taken = [f"there is a node {name!r} already" for name in nodes if name in known]
        taken += [f"there are two nodes {name!r}" for name in set(nodes) if nodes.count(name) > 1]
        return taken + self._problems(
            lambda folder: self._add_structure(folder, made), ("tree_structure",), warnings=True
        )

    def _tried(self, file: str, items: Mapping[str, Any]) -> list[str]:
        return self._taken(file, items) + self._problems(
            lambda folder: add_items(folder, file, items), (file,)
        )

    def _taken(self, file: str, items: Mapping[str, Any]) -> list[str]:
        """Names that the workspace has given to something else."""
        known = getattr(self._now, file)
        return [
            f"{name!r} is there already, and is something else: choose another name"
            for name, item in items.items()
            if name in known and known[name] != item
        ]

    def _problems(
        self, lay: Callable[[Path], None], files: tuple[str, ...], *, warnings: bool = False
    ) -> list[str]:
        """What would be wrong in some files if something were laid over the workspace."""
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch) / "workspace"
            shutil.copytree(self._folder, copy)
            lay(copy)
            workspace = Workspace(copy)
            found = list(check_workspace(workspace))
            found += check_for_body(workspace, self._body, "the game")
            names = {workspace.files[file].name for file in files}
        return [
            one.message for one in found
            if one.file in names and (warnings or not one.is_warning)
        ]  # fmt: skip

    @property
    def _now(self) -> Workspace:
        return Workspace(self._folder)

    @property
    def _keys(self) -> list[str]:
        return [*self._now.formats, *BUILT_IN]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _described(items: Mapping[str, Any]) -> str:
    descriptions = (f"{name} ({one.about})" if one.about else name for name, one in items.items())
    return "; ".join(descriptions) or "none"
