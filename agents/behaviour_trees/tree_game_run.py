"""Runs a tree in a game, records each tick, and returns the outcome."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from py_trees.behaviour import Behaviour
from py_trees.visitors import VisitorBase

from ...adapters.behaviour_trees.tree_observer import TreeObserver
from ...errors import GameError, TreeError
from ...games.game_interface import Game, step_game
from ...games.pad_tree_body import PadBody
from ...games.playable_interface import Playable
from ...games.tree_body_interface import PLAYER, TreeBody, TreeGame
from ...recorder.checks.check_policy import UNATTENDED
from ...recorder.text.name_hint import name_hint
from ...session import Session
from .tree_agent import TreeAgent
from .workspace.tree_checker import problems_text
from .workspace.workspace import SHIPPED, Workspace
from .workspace.workspace_checker import check_for_body

MEMORY = "64 MiB"
ANSWER_AFTER = 0.1
"""Seconds of game time that a way takes to be found, where no clock must be kept up with."""
CHANNEL = "behaviour tree"


class TreeOutcome(msgspec.Struct, frozen=True):
    """What came of a run of one agent under one seed."""

    workspace: str
    agent: str
    drives: str
    seed: int | None
    frames: int
    seconds: float
    """Game time."""
    actions: dict[str, int]
    """How often each action was executed."""
    longest_still: float
    """The longest time that it did not move, seconds."""
    failures: dict[str, int]
    """What went wrong in leaves, each with its path in the tree, and how often."""
    state_hash: str
    clip: str | None = None

    @property
    def is_sound(self) -> bool:
        """Whether nothing went wrong in a leaf."""
        return not self.failures

    @property
    def facts(self) -> dict[str, Any]:
        """All of it in plain values."""
        facts: dict[str, Any] = msgspec.to_builtins(self)
        return facts


def find_workspace(name: str | Path) -> Path:
    """A folder, or else a workspace of this name that comes along."""
    folder = Path(name)
    if not folder.exists() and (SHIPPED / name).is_dir() and folder.name == str(name):
        return SHIPPED / name
    return folder


def body_of(game: Game, name: str) -> TreeBody:
    """A character in a game that a tree can drive.

    Raises:
        GameError: the game has no character of this name.
    """
    if isinstance(game, TreeGame):
        if name in game.tree_bodies:
            return game.tree_body(name)
        hint = name_hint(name, game.tree_bodies)
        raise GameError(
            f"{game.name} has no character called {name!r} that a tree could drive: {hint}"
        )
    if name == PLAYER and isinstance(game, Playable):
        return PadBody(game)
    raise GameError(f"{game.name} has no character called {name!r} that a tree could drive")


def chosen_agent(workspace: Workspace, name: str | None) -> str:
    """The agent of this name; without a name the only one, or the first.

    Raises:
        TreeError: there is none.
    """
    if name is None:
        return next(iter(workspace.agents))
    if name not in workspace.agents:
        hint = name_hint(name, workspace.agents)
        raise TreeError(f"{workspace.name} has no agent {name!r}: {hint}")
    return name


def run_tree(
    workspace: Workspace, game: Game, agent: str | None = None, *, frames: int,
    seed: int | None = None, clip: Path | None = None, is_strict: bool = False,
    memory: str = MEMORY, session: Session | None = None,
    before_step: Callable[[int], bool] = lambda frame: True,
) -> TreeOutcome:  # fmt: skip
    """Let an agent drive its body in a game that has just begun.

    Args:
        frames: So many steps.
        clip: Keep a clip there, with all of its ticks; a clip that is there is kept, too.
        is_strict: An error in a leaf ends the run.
        session: Record into this one; by default into one of its own.
        before_step: Called before each step; False ends the run.

    Raises:
        TreeError: the game has not what the workspace names; or an error in a leaf, if strict.
        GameError: there is no character to drive, or the game broke.
    """
    name = chosen_agent(workspace, agent)
    drives = workspace.agents[name].drives
    body = body_of(game, drives)
    problems = check_for_body(workspace, body, f"{drives} of {game.name}")
    if problems:
        raise TreeError(problems_text(problems))
    own = session is None
    used = session or Session(
        game.world, memory, handlers=game.handlers, on_check=UNATTENDED, about=game.about
    )
    done, longest, actions = 0, 0.0, dict.fromkeys(workspace.action_nodes, 0)
    try:
        game.attach(used)

        def report(failure: str) -> None:
            used.log(failure, level="error", object=body.object, channel=CHANNEL)

        with TreeAgent(
            workspace, name, body, is_strict=is_strict, answer_after=ANSWER_AFTER, on_failure=report
        ) as driven:
            assert driven.tree is not None
            driven.record(used)
            observer = TreeObserver(driven.tree, used.recorder, body.object, name, used.hooks.table)
            counter = _ActionCounter(actions)
            driven.tree.add_visitor(counter)
            begun = game.world.time()
            try:
                while done < frames and before_step(done):
                    driven.step(game.dt)
                    step_game(game)
                    used.update(game.dt)
                    done += 1
                    longest = max(longest, float(str(driven.value("still"))))
            finally:
                observer.close()
                clip_path = str(used.save(clip).path) if clip is not None else None
            return TreeOutcome(
                workspace.name, name, drives, seed, done, game.world.time() - begun,
                {key: count for key, count in actions.items() if count}, longest,
                dict(driven.failures), game.state_hash(), clip_path,
            )  # fmt: skip
    finally:
        if own:
            used.close()


class _ActionCounter(VisitorBase):
    def __init__(self, actions: dict[str, int]) -> None:
        super().__init__(full=False)
        self._actions = actions

    def run(self, behaviour: Behaviour) -> None:
        if behaviour.name in self._actions:
            self._actions[behaviour.name] += 1
