"""Explicit plans for programs and tests: `from playhead.plans import parse_plan, run_plan`.

`docs/plans.md` explains them. Needs the extra `agents`.
"""

from .agents.plans.execution.plan_agent import PlanAgent
from .agents.plans.execution.run_plan_in_game import run_plan
from .agents.plans.plan import Node, Plan, Precondition, Rule
from .agents.plans.plan_checker import check_plan
from .agents.plans.plan_file import PlanFile, load_plan, parse_plan
from .agents.plans.plan_outcome import PlanFailure, PlanOutcome
from .games.action_outcome_validators import ActionValidator, ActionValidators
from .games.game_catalog import open_game
from .games.plan_game_interface import Action, PlanGame
from .games.plan_target_actor import Actor

__all__ = [
    "Action", "ActionValidator", "ActionValidators", "Actor", "Node", "Plan", "PlanAgent",
    "PlanFailure", "PlanFile", "PlanGame", "PlanOutcome", "Precondition", "Rule", "check_plan",
    "load_plan", "open_game", "parse_plan", "run_plan",
]  # fmt: skip
