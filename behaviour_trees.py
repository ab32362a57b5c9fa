"""Behaviour trees from a workspace, for programs: `from playhead.behaviour_trees import run_tree`.

`docs/behaviour-tree-maker.md` explains them. Needs the extra `agents`.
"""

from .agents.behaviour_trees.tree_agent import TreeAgent
from .agents.behaviour_trees.tree_game_run import find_workspace, run_tree
from .agents.behaviour_trees.workspace.workspace import Workspace
from .agents.behaviour_trees.workspace.workspace_checker import load_workspace
from .games.game_catalog import open_game
from .games.tree_body_interface import TreeBody

__all__ = [
    "TreeAgent", "TreeBody", "Workspace", "find_workspace", "load_workspace", "open_game",
    "run_tree",
]  # fmt: skip
