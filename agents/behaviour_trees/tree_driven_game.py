"""A game whose player an agent of a workspace drives, in real time."""

from pathlib import Path
from typing import Any, Self

from ...adapters.behaviour_trees.tree_observer import TreeObserver
from ...errors import TreeError
from ...games.delegating_game import DelegatingGame
from ...games.game_interface import Game
from ...recorder.statements.instrumentation_interface import NULL_INSTRUMENTATION, Instrumentation
from ...session import Session
from .tree_agent import TreeAgent
from .tree_game_run import CHANNEL, body_of, chosen_agent
from .workspace.tree_checker import problems_text
from .workspace.tree_editor import TreeEditor
from .workspace.workspace import Workspace
from .workspace.workspace_checker import check_for_body, load_workspace

NAME = "tree"
"""The call by which tools edit the tree, and the value under which its state is published.

A call is `{"do": …}` with `state`, `reload`, `stop`, `start` and an `agent`, `save`, `undo`,
`redo`, or one of `EDITS` with its arguments. `save` writes what was edited, and lets the agent go
on by it.
"""
EDITS: dict[str, dict[str, type]] = {
    "insert": {"parent": str, "index": int, "item": str},
    "remove": {"parent": str, "index": int},
    "move": {"parent": str, "index": int, "to": str, "at": int},
    "rename": {"name": str, "new": str},
    "set_field": {"name": str, "field": str, "text": str},
}
"""Edits of the tree and its leaves, and their arguments."""


class TreeDrivenGame(DelegatingGame):
    """A `Game` around another one, all of whose members it has.

    The workspace's folder may change while the game runs: a tool's call reads it again. If anything
    is wrong with it then, the agent that was there goes on.

    Args:
        agent: Which agent; by default the first one.

    Raises:
        TreeError: something is wrong with the workspace, or the game has not what it names.
        GameError: the game has no character that can be driven so.
    """

    _game: Game
    editor: TreeEditor
    """The tree as it is being edited."""

    def __init__(self, game: Game, folder: Path, agent: str | None = None) -> None:
        self.folder = folder
        self._instruments: Instrumentation = NULL_INSTRUMENTATION
        self._observer: TreeObserver | None = None
        self.agent: TreeAgent | None = None
        """The agent that drives now; None while there is none."""
        self.start(agent)
        assert self.agent is not None
        self.editor = TreeEditor(folder, self.agent.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self, agent: str | None = None) -> None:
        """Read the workspace, and let an agent of it take over."""
        workspace = load_workspace(self.folder)
        name = chosen_agent(workspace, agent)
        drives = workspace.agents[name].drives
        body = body_of(self._game, drives)
        problems = check_for_body(workspace, body, f"{drives} of {self._game.name}")
        if problems:
            raise TreeError(problems_text(problems))
        before, self.agent = self.agent, None
        if before is not None:
            before.close()
        self.agent = TreeAgent(workspace, name, body, on_failure=self._tell)
        self._observe()

    def stop(self) -> None:
        """Stop driving."""
        if self._observer is not None:
            self._observer.close()
        agent, self.agent, self._observer = self.agent, None, None
        if agent is not None:
            agent.close()

    def attach(self, instruments: Instrumentation) -> None:
        self._instruments = instruments
        self._game.attach(instruments)
        if isinstance(instruments, Session):
            instruments.serve(NAME, self.answer)
            instruments.publish(NAME, self.state())
        self._observe()

    def step(self) -> None:
        if self.agent is not None:
            self.agent.step(self._game.dt)
        self._game.step()

    def close(self) -> None:
        """End the agent and the game."""
        self.stop()
        self._game.close()

    def answer(self, asked: Any) -> dict[str, Any]:
        """Do what a tool asks for; how things stand then.

        Raises:
            TreeError: it is no such request, or it can't be done.
        """
        wish = dict(asked) if isinstance(asked, dict) else {"do": "state"}
        match wish.pop("do", None):
            case "state":
                pass
            case "reload":
                self._go_on()
            case "start" if isinstance(wish.get("agent"), str):
                self.start(wish["agent"])
                self.editor = TreeEditor(self.folder, wish["agent"])
            case "stop":
                self.stop()
            case "save":
                self.editor.save()
                self._go_on()
            case "undo":
                self.editor.undo()
            case "redo":
                self.editor.redo()
            case str() as edit if edit in EDITS:
                self._edit(edit, wish)
            case _:
                known = ", ".join(("reload", "stop", "start", "save", "undo", "redo", *EDITS))
                raise TreeError(f"{asked!r:.80}: ask for one of {known}")
        state = self.state()
        if isinstance(self._instruments, Session):
            self._instruments.publish(NAME, state)
        return state

    def state(self) -> dict[str, Any]:
        """The driving agent, what went wrong, and the tree as it is being edited; in plain data."""
        agent = self.agent
        return {
            "workspace": str(self.folder),
            "agents": sorted(Workspace(self.folder).agents),
            "driving": agent.name if agent is not None else "",
            "failures": dict(agent.failures) if agent is not None else {},
            **self.editor.state(),
        }

    def _edit(self, edit: str, arguments: dict[str, Any]) -> None:
        expected = EDITS[edit]
        fits = arguments.keys() == expected.keys() and all(
            type(arguments[name]) is kind for name, kind in expected.items()
        )
        if not fits:
            signature = ", ".join(f"{name}: {kind.__name__}" for name, kind in expected.items())
            raise TreeError(f"{edit} takes {signature}, not {arguments!r:.80}")
        getattr(self.editor, edit)(**arguments)

    def _go_on(self) -> None:
        """Read the workspace again, and drive by it; edits that were not saved are gone."""
        self.start(self.editor.agent)
        self.editor = TreeEditor(self.folder, self.editor.agent)

    def _observe(self) -> None:
        if self._observer is not None:
            self._observer.close()
            self._observer = None
        agent, session = self.agent, self._instruments
        if agent is not None and isinstance(session, Session):
            agent.record(session)
            self._observer = TreeObserver(
                agent.tree, session.recorder, agent.body.object, agent.name, session.hooks.table
            )  # fmt: skip

    def _tell(self, failure: str) -> None:
        agent = self.agent
        object = agent.body.object if agent is not None else 0
        self._instruments.log(failure, level="error", object=object, channel=CHANNEL)
