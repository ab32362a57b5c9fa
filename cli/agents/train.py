"""`playhead train`: trains a navigation policy."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import CommandError
from ...games.game_catalog import FAMILIES
from ...runner.replay_game_opener import own_path
from ...runner.terminal.progress_bar import bar
from ...runner.terminal.terminal_echo import echo

if TYPE_CHECKING:
    from ...games.walkable_grid import WalkGrid

HELD_OUT = 1_000_000
"""The first seed of the generated levels that no policy is trained on."""


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
    "--levels", type=click.IntRange(0, HELD_OUT), default=600, show_default=True,
    help="So many generated levels are learned in, beside those of GAME.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object at the end.")
def train(game: str | None, out: Path, steps: int, levels: int, seed: int, as_json: bool) -> None:
    """Train a navigation policy on generated levels, and on the maps of GAME if one is given.

    It takes a minute or two, and stable-baselines3: the extra `rl`. What comes of it needs neither:
    `playhead plan run --movement policy --policy POLICY.npz` has plans walk by it, and
    `playhead plan compare` compares it with others.

    \b
    Example:
      playhead train arena:dungeon --out my-policy.npz
      playhead train --levels 1000 --steps 5000000 --out general.npz
    """
    from ...agents.plans.policy.navigation_task import training_grids
    from ...agents.plans.policy.policy_evaluation import evaluate
    from ...agents.plans.policy.policy_training import train as learn
    from ...agents.plans.policy.training_maps import game_grids

    own: list[WalkGrid] = []
    if game is not None:
        own_path(game, list(FAMILIES))
        own = list(game_grids(game))
    elif not levels:
        raise CommandError("--levels 0: name a GAME to learn in, or give one level or more")
    out.parent.mkdir(parents=True, exist_ok=True)
    # About a tenth of all, so that those of the game are no small part of what is learned.
    grids = own * max(1, levels // 10 // max(1, len(own))) + training_grids(range(levels))
    where = " and ".join(filter(None, (game, f"{levels} generated levels" if levels else "")))
    with bar("learning") as tell:
        model = learn(
            grids, steps, seed, trained_on=f"{where}, {steps:,} steps, seed {seed}",
            tell=lambda done, _: tell(done, steps),
        )  # fmt: skip
    model.save(out)
    unseen = evaluate(model, training_grids(range(HELD_OUT, HELD_OUT + 100)), 500, seed)
    mine = evaluate(model, own, 200, seed) if own else None
    if as_json:
        facts = {
            "out": str(out), "game": game, "steps": steps, "levels": levels, "seed": seed,
            "bytes": out.stat().st_size, "arrived_unseen": unseen.share,
            "arrived_game": None if mine is None else mine.share,
        }  # fmt: skip
        echo(json.dumps(facts))
        return
    echo(f"{out}: {out.stat().st_size:,} bytes, {steps:,} steps")
    echo(f"{unseen.share:.1%} of {unseen.walks} random targets reached in levels it never saw")
    if mine is not None:
        echo(f"{mine.share:.1%} of {mine.walks} in {game}")
