"""`playhead train`: trains a navigation policy."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import CommandError
from ...games.game_catalog import FAMILIES, variant_settings
from ...games.user_code_loader import own_path
from ...runner.terminal.progress_bar import bar
from ...runner.terminal.safe_terminal_output import echo
from .plan import game_of_plan, loaded_plan

if TYPE_CHECKING:
    from ...agents.plans.plan_file import PlanFile
    from ...agents.plans.policy.policy_benchmark import ModelScore
    from ...agents.plans.policy.training_walks_from_plans import PlanWalk
    from ...games.walkable_grid import WalkGrid

HELD_OUT = 1_000_000
"""The first seed of the levels that no policy is trained on."""
TESTED = 5
"""Levels in which a plan is carried out after the training."""


@click.command()
@click.argument("game", required=False)
@click.option(
    "-o", "--out", type=click.Path(dir_okay=False, path_type=Path), required=True,
    metavar="POLICY.npz", help="Write the policy there.",
)  # fmt: skip
@click.option(
    "--steps", type=click.IntRange(1), default=3_000_000, show_default=True,
    help="How long it learns; some 30,000 steps take a second.",
)  # fmt: skip
@click.option(
    "--plan", "plans", multiple=True, metavar="FILE.plan.yaml",
    help="Learn the walks of this plan, too; a game's name means the plan that comes with it.",
)  # fmt: skip
@click.option(
    "--plan-share", type=click.FloatRange(0, 1, min_open=True), default=0.5, show_default=True,
    help="How many of all walks are those of plans; the others go to random targets.",
)  # fmt: skip
@click.option(
    "--plan-levels", type=click.IntRange(1, HELD_OUT), default=10, show_default=True,
    help="In so many levels of GAME each plan is played, to learn its walks there.",
)  # fmt: skip
@click.option(
    "--levels", type=click.IntRange(0, HELD_OUT), default=600, show_default=True,
    help="So many generated levels are learned in, beside those of GAME.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object at the end.")
def train(
    game: str | None, out: Path, steps: int, plans: Sequence[str], plan_share: float,
    plan_levels: int, levels: int, seed: int, as_json: bool,
) -> None:  # fmt: skip
    """Train a navigation policy on generated levels, and on the maps of GAME if one is given.

    It takes a minute or two, and stable-baselines3: the extra `rl`. What comes of it needs neither:
    `playhead plan run --movement policy --policy POLICY.npz` has plans walk by it, and
    `playhead plan compare` compares it with others.

    With --plan it also learns what the plan's nodes and rules walk to. Each seed is a level of GAME
    with other enemies and, in the arena's adventures, with people, signs, switches and shrines
    elsewhere. Afterwards the plan is carried out in levels that were not learned.

    \b
    Example:
      playhead train arena:dungeon --out my-policy.npz
      playhead train arena:dungeon --plan level.plan.yaml --plan arena:dungeon --out my-policy.npz
      playhead train --levels 1000 --steps 5000000 --out general.npz
    """
    from ...agents.plans.policy.game_walk_grids import game_grids
    from ...agents.plans.policy.navigation_task import training_grids
    from ...agents.plans.policy.policy_evaluation import evaluate
    from ...agents.plans.policy.policy_training import train as learn

    files = [loaded_plan(one) for one in dict.fromkeys(plans)]
    if files:
        game = game_of_plan(files[0], game)
    own: list[WalkGrid] = []
    if game is not None:
        own_path(game, list(FAMILIES))
        own = list(game_grids(game))
    elif not levels:
        raise CommandError("--levels 0: name a GAME to learn in, or give one level or more")
    walks = _walks_of(files, game or "", plan_levels)
    out.parent.mkdir(parents=True, exist_ok=True)
    # About a tenth of all, so that those of the game are no small part of what is learned.
    grids = own * max(1, levels // 10 // max(1, len(own))) + training_grids(range(levels))
    where = " and ".join(filter(None, (game, f"{levels} generated levels" if levels else "")))
    if files:
        names = " and ".join(Path(file.file).name for file in files)
        where += f", {plan_share:.0%} of the walks those of {names} in {plan_levels} levels"
    with bar("learning") as tell:
        model = learn(
            grids, steps, seed, trained_on=f"{where}, {steps:,} steps, seed {seed}",
            tell=lambda done, _: tell(done, steps), walks=walks, plan_share=plan_share,
        )  # fmt: skip
    model.save(out)
    unseen = evaluate(model, training_grids(range(HELD_OUT, HELD_OUT + 100)), 500, seed)
    mine = evaluate(model, own, 200, seed) if own else None
    scores = [_scores_of(file, game or "", out) for file in files]
    if as_json:
        facts = {
            "out": str(out), "game": game, "steps": steps, "levels": levels, "seed": seed,
            "bytes": out.stat().st_size, "trained_on": model.trained_on,
            "arrived_unseen": unseen.share, "arrived_game": None if mine is None else mine.share,
            "plans": [
                {
                    "path": file.file, "walks": sum(walk.plan == file.file for walk in walks),
                    "levels": by_policy.runs, "nodes": by_policy.nodes.total,
                    "reached": by_policy.nodes.done, "reached_by_paths": by_paths.nodes.done,
                }
                for file, (by_policy, by_paths) in zip(files, scores, strict=True)
            ],
        }  # fmt: skip
        echo(json.dumps(facts))
        return
    echo(f"{out}: {out.stat().st_size:,} bytes, {steps:,} steps")
    echo(f"{unseen.share:.1%} of {unseen.walks} random targets reached in levels it never saw")
    if mine is not None:
        echo(f"{mine.share:.1%} of {mine.walks} in {game}")
    for file, (by_policy, by_paths) in zip(files, scores, strict=True):
        echo(
            f"{by_policy.nodes.text} nodes of {file.name} reached in {by_policy.runs} levels it"
            f" never saw; by path finding {by_paths.nodes.done}"
        )


def _walks_of(files: "Sequence[PlanFile]", game: str, levels: int) -> "list[PlanWalk]":
    """What plans walk to in a game."""
    from ...agents.plans.plan_checker import check_for_game
    from ...agents.plans.policy.training_walks_from_plans import plan_walks

    for file in files:
        check_for_game(file.plan, file.file, game)
    walks: list[PlanWalk] = []
    if not files:
        return walks
    with bar("playing plans") as tell:
        for number, file in enumerate(files, 1):
            walks += plan_walks(file, game, range(levels))
            tell(number, len(files))
    return walks


def _scores_of(file: "PlanFile", game: str, policy: Path) -> "tuple[ModelScore, ModelScore]":
    """What the policy, and what path finding makes of a plan in levels that were not learned."""
    from ...agents.plans.policy.policy_benchmark import compared_run, scores

    settings = variant_settings(game)
    models = (str(policy), "walk")
    found = scores({
        model: [
            compared_run(file.file, game, seed, settings, model)
            for seed in range(HELD_OUT, HELD_OUT + TESTED)
        ]
        for model in models
    })  # fmt: skip
    by_model = {score.model: score for score in found}
    return by_model[models[0]], by_model[models[1]]
