"""Compares which plans finish with which movement: models and path finding side by side."""

import typing
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ....errors import PlanError
from ....games.game_catalog import open_game
from ....games.plan_game_interface import PlanGame
from ....games.walkable_grid import Cell, GridMap
from ....recorder.checks.check_policy import UNREPORTED
from ....recorder.text.name_hint import name_hint
from ..execution.run_plan_in_game import run_plan
from ..plan import Movement
from ..plan_checker import plan_game
from ..plan_file import load_plan
from ..plan_outcome import PlanOutcome
from .policy_model import load_policy

EVERY = 6
"""Steps of the game between two looks at which cell the player is on."""


class Covered(msgspec.Struct, frozen=True):
    """How many of something were there, and how many were reached."""

    done: int
    total: int

    @property
    def share(self) -> float:
        """0 to 1; of nothing all is reached."""
        return self.done / self.total if self.total else 1.0

    @property
    def text(self) -> str:
        """For a table."""
        return f"{self.done} of {self.total}"


class ComparedRun(NamedTuple):
    """One run, and the cells that the player was on."""

    outcome: PlanOutcome
    game: str
    rules: int
    """How many the plan has."""
    cells: dict[str, set[Cell]]
    """By area."""
    free: dict[str, int]
    """Free cells of each of those areas."""


class ModelScore(msgspec.Struct, frozen=True):
    """What one way of moving has made of all runs."""

    model: str
    runs: int
    finished: int
    nodes: Covered
    rules: Covered
    """Rules that fired in any run of their plan."""
    validations: Covered
    """Actions whose validation passed, of those that were performed and validated."""
    cells: Covered
    """Cells of the map that the player was on in any run, of the free ones in the areas that any
    model came to."""
    seconds: float
    """Seconds of game time, over all runs."""
    failures: tuple[str, ...]

    @property
    def rank(self) -> tuple[float, ...]:
        """What says which of two models is the better one: the greater one is."""
        covered = self.nodes, self.rules, self.validations, self.cells
        return self.finished, *(one.share for one in covered)

    @property
    def facts(self) -> dict[str, Any]:
        """All of it in plain values."""
        return dict(msgspec.to_builtins(self))


class _Coverage:
    """Which cells a player has been on."""

    def __init__(self, game: PlanGame) -> None:
        self._game, self._steps = game, 0
        self.cells: dict[str, set[Cell]] = {}
        self.free: dict[str, int] = {}

    def note(self) -> bool:
        """Look where the player is, now and then; True, so that the run goes on."""
        self._steps += 1
        if self._steps % EVERY:
            return True
        ground = self._game.plan_map()
        if isinstance(ground, GridMap):
            grid, seen = ground.grid(), self._game.observe()
            cell = grid.cell(seen.position)
            if grid.inside(cell) and grid.free[cell]:
                self.cells.setdefault(seen.level, set()).add(cell)
                free = int(grid.free.sum())
                self.free[seen.level] = max(free, self.free.get(seen.level, 0))
        return True


def way_of_moving(model: str) -> tuple[Movement, str]:
    """What a model's name means: a movement of its own, or a policy and its file.

    Raises:
        PlanError: it is neither a movement nor a policy.
    """
    movements = typing.get_args(Movement)
    if model != "policy" and model in movements:
        return typing.cast(Movement, model), ""
    if model not in movements and not model.endswith(".npz") and not Path(model).exists():
        raise PlanError(
            f"{model}: there is no such movement and no such file: {name_hint(model, movements)}"
        )
    name = "shipped" if model == "policy" else model
    load_policy(name)
    return "policy", name


def compared_run(
    plan: str, game: str, seed: int | None, settings: dict[str, Any], model: str,
    before_step: Callable[[], bool] = lambda: True,
) -> ComparedRun:  # fmt: skip
    """Carry out a plan in a file once with this model.

    Args:
        before_step: Called before each step; False ends the run.
    """
    movement, policy = way_of_moving(model)
    file = load_plan(plan).moved_by(movement)
    with open_game(game, seed=seed, **settings) as opened:
        coverage = _Coverage(plan_game(opened))
        outcome = run_plan(
            file, opened, seed=seed, before_step=lambda: coverage.note() and before_step(),
            policy=load_policy(policy) if policy else None, on_check=UNREPORTED, opened_as=game,
        )  # fmt: skip
    return ComparedRun(outcome, game, len(file.plan.rules), coverage.cells, coverage.free)


def scores(runs: Mapping[str, Sequence[ComparedRun]]) -> list[ModelScore]:
    """What each model has made of its runs, the best first: the one that finished most of them, and
    of several such the one that covered most.

    Raises:
        PlanError: there are no runs.
    """
    if not any(runs.values()):
        raise PlanError("there is nothing to compare: give one model or more, and a plan")
    free: dict[tuple[str, str], int] = {}
    for each in runs.values():
        for run in each:
            for area, count in run.free.items():
                free[run.game, area] = max(count, free.get((run.game, area), 0))
    those = (_score(model, each, sum(free.values())) for model, each in runs.items())
    return sorted(those, key=lambda score: score.rank, reverse=True)


def _score(model: str, runs: Sequence[ComparedRun], free: int) -> ModelScore:
    outcomes = [run.outcome for run in runs]
    fired = {(run.outcome.plan, title) for run in runs for title in run.outcome.rules}
    rules = sum({run.outcome.plan: run.rules for run in runs}.values())
    validated = [
        action for one in outcomes for action in one.actions if action.validation != "none"
    ]  # fmt: skip
    cells = {
        (run.game, area, at) for run in runs for area, those in run.cells.items() for at in those
    }
    nodes = [node for one in outcomes for node in one.nodes]
    return ModelScore(
        model, len(runs), sum(one.finished for one in outcomes),
        Covered(sum(node.done for node in nodes), len(nodes)), Covered(len(fired), rules),
        Covered(sum(action.validation == "passed" for action in validated), len(validated)),
        Covered(len(cells), free), round(sum(one.seconds for one in outcomes), 3),
        tuple(
            f"{one.plan}{'' if one.seed is None else f', seed {one.seed}'}: {one.failure.message}"
            for one in outcomes if one.failure is not None
        ),
    )  # fmt: skip
