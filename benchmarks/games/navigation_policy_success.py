"""The navigation policy that is shipped: how many random targets it misses where it never was.

Two kinds of walks. Steps from cell to cell of a map, many at once; and walks in the game itself,
played by the plan's agent with a pad, beside those along the cheapest path and straight ahead. It
was trained on generated levels of other seeds alone: village and dungeon it never saw.
"""

import time
from random import Random
from typing import cast

from playhead.agents.plans.execution.plan_agent import PlanAgent
from playhead.agents.plans.plan import Movement, Node, Plan
from playhead.agents.plans.plan_checker import plan_game
from playhead.agents.plans.policy.navigation_task import training_grids
from playhead.agents.plans.policy.policy_evaluation import evaluate
from playhead.agents.plans.policy.policy_model import load_policy
from playhead.games.arena.adventure.adventure_game import AdventureGame
from playhead.games.arena.adventure.plans.area_walk_grids import level_grids
from playhead.games.arena.adventure.plans.level_randomizer import with_moved_actors
from playhead.games.arena.adventure.world.generated_level import generated_level
from playhead.games.arena.adventure.world.level_loader import level_path, load_level
from playhead.games.game_interface import Game
from playhead.games.walkable_grid import cells

from ..support.report_table import Line
from ..support.timing import FULL, QUICK, Size

HELD_OUT = 2_000_000
"""The first seed of the levels that it is measured on."""
PROMISED = 5.0
"""Percent of the targets that are missed, at most."""
LIMIT = 60.0
"""Seconds of game time for a walk: a node's, by default."""
MOVEMENTS: tuple[Movement, ...] = ("policy", "walk", "straight")


def measure(size: Size) -> list[Line]:
    walks, levels = (500, 100) if size == FULL else (100, 20) if size == QUICK else (4, 2)
    model = load_policy()
    lines: list[Line] = []
    seeds = range(HELD_OUT, HELD_OUT + levels)
    for what, grids in (
        ("generated levels", training_grids(seeds)),
        *(
            (f"{name}, actors moved", [
                grid for seed in seeds[: levels // 2]
                for grid in level_grids(with_moved_actors(load_level(level_path(name)), seed))
            ])
            for name in ("village", "dungeon")
        ),
    ):  # fmt: skip
        came = evaluate(model, grids, walks, 1)
        arrival_text = f"{came.arrived} of {came.walks}; {came.detour:.2f} times the shortest way"
        goal = PROMISED if size == FULL else None
        lines.append(
            Line(f"missed on the map, {what}", 100 - 100 * came.share, "%", goal, arrival_text)
        )
    played = 60 if size == FULL else 12 if size == QUICK else 1
    for movement in MOVEMENTS:
        start = time.process_time()
        outcomes = [walked(seed, movement) for seed in range(HELD_OUT, HELD_OUT + played)]
        missed = sum(seconds is None for seconds in outcomes)
        spent = sum(LIMIT if seconds is None else seconds for seconds in outcomes)
        goal = PROMISED if size == FULL and movement == "policy" else None
        arrival_text = f"{played - missed} of {played}; {spent / played:.1f} s of game time each"
        lines.append(
            Line(f"missed in the game, {movement}", 100 * missed / played, "%", goal, arrival_text)
        )
        took = (time.process_time() - start) / max(spent, 1e-9) * 1000
        lines.append(Line(f"a second of game time, {movement}", took, "ms"))
    return lines


def walked(seed: int, movement: Movement) -> float | None:
    """Seconds of game time to a random place of a generated level; None if it was not reached."""
    with AdventureGame(generated_level(seed), seed=seed) as game:
        ground = game.plan_map().grid()  # type: ignore[union-attr]
        begin = ground.nearest_free_cell(game.observe().position, 0.5)
        assert begin is not None
        goals = list(cells(ground.reached(begin)))
        place = ground.middle(Random(seed).choice(goals))
        plan = Plan((Node(location=place, movement=movement, time_limit=LIMIT),))
        agent = PlanAgent(plan, plan_game(cast(Game, game)), game.dt, clock=game.world.time)
        while not agent.done:
            game.hold(agent.step(game.observe()))
            game.step()
        agent.close()
        return None if agent.failure is not None else game.world.time()
