"""Explicit plans for programs and tests: `from playhead.plans import parse_plan, run_plan`.

`docs/plans.md` explains them. Needs the extra `agents`.
"""

from .agents.plans.execution.plan_agent import PlanAgent
from .agents.plans.execution.run_plan_in_game import run_plan
from .agents.plans.plan import Node, Plan, Precondition, Rule
from .agents.plans.plan_checker import check_plan
from .agents.plans.plan_file import PlanFile, load_plan, parse_plan
from .agents.plans.plan_outcome import PlanFailure, PlanOutcome
from .games.action_outcome_validators import ActionValidator, ActionValidators, Scene, Values
from .games.game_catalog import open_game
from .games.plan_game_interface import (
    Action,
    Controls,
    NavigationMap,
    PlanGame,
    PlanGameEvent,
    Waypoint,
)
from .games.plan_target_actor import Actor
from .games.remote.remote_navigation_map import navigation_map

__all__ = [
    "Action", "ActionValidator", "ActionValidators", "Actor", "Controls", "NavigationMap", "Node",
    "Plan", "PlanAgent", "PlanFailure", "PlanFile", "PlanGame", "PlanGameEvent", "PlanOutcome",
    "Precondition", "Rule", "Scene", "Values", "Waypoint", "check_plan", "load_plan",
    "navigation_map", "open_game", "parse_plan", "run_plan",
]  # fmt: skip
