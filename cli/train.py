"""`playhead train`: a navigation policy learns to walk."""

import json
from pathlib import Path

import click

from ..games.game_catalog import FAMILIES
from ..runner.replay_games import own_path
from ..runner.terminal.progress_bar import bar
from ..runner.terminal.terminal_output import echo

HELD_OUT = 1_000_000
"""The first seed of the generated levels that no policy is trained on."""


@click.command()
@click.argument("game")
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
def train(game: str, out: Path, steps: int, levels: int, seed: int, as_json: bool) -> None:
    """Train a navigation policy on the maps of GAME and on generated levels.

    It takes a minute or two, and stable-baselines3: the extra `rl`. What comes of it needs neither:
    `playhead plan run --movement policy --policy POLICY.npz` has plans walk by it, and
    `playhead plan compare` compares it with others.

    \b
    Example:
      playhead train arena:dungeon --out my-policy.npz
    """
    from ..agents.plans.policy.game_grids import game_grids
    from ..agents.plans.policy.navigation_task import training_grids
    from ..agents.plans.policy.policy_evaluation import evaluate
    from ..agents.plans.policy.policy_training import train as learn

    own_path(game, list(FAMILIES))
    out.parent.mkdir(parents=True, exist_ok=True)
    own = list(game_grids(game))
    # About a tenth of all, so that those of the game are no small part of what is learned.
    grids = own * max(1, levels // 10 // len(own)) + training_grids(range(levels))
    with bar("learning") as tell:
        model = learn(
            grids, steps, seed, trained_on=f"{game} and {levels} generated levels, {steps} steps",
            tell=lambda done, _: tell(done, steps),
        )  # fmt: skip
    model.save(out)
    unseen = evaluate(model, training_grids(range(HELD_OUT, HELD_OUT + 100)), 500, seed)
    mine = evaluate(model, own, 200, seed)
    if as_json:
        facts = {
            "out": str(out), "game": game, "steps": steps, "levels": levels, "seed": seed,
            "bytes": out.stat().st_size, "arrived_unseen": unseen.share, "arrived_game": mine.share,
        }  # fmt: skip
        echo(json.dumps(facts))
        return
    echo(f"{out}: {out.stat().st_size:,} bytes, {steps:,} steps")
    echo(f"{unseen.share:.1%} of {unseen.walks} random targets reached in levels it never saw")
    echo(f"{mine.share:.1%} of {mine.walks} in {game}")
