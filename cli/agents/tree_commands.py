"""`playhead tree check|run|chat|schemas`: checks workspaces and runs their agents."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import CommandError, TreeError
from ...games.game_catalog import FAMILIES, open_game
from ...games.user_code_loader import own_path
from ...runner.terminal.progress_bar import bar
from ...runner.terminal.safe_terminal_output import echo
from ...runner.terminal.text_table import table_lines
from .seeds_and_exit_code import FAILED, seeds_of

if TYPE_CHECKING:
    from ...agents.behaviour_trees.tree_game_run import TreeOutcome
    from ...agents.behaviour_trees.workspace.workspace import Workspace

SECONDS = 30.0
WORKSPACE = click.argument("workspace", type=click.Path(), metavar="WORKSPACE")
SKILL = click.option("--skill", type=int, help="doom: how hard it is, 1 to 5.")
JSON = click.option("--json", "as_json", is_flag=True, help="Print the facts as JSON.")
SEED = click.option("--seed", type=int, help="Decides everything that is left to chance.")
FRAMES = click.option("--frames", type=click.IntRange(1), help="So many steps.")
LASTS = click.option(
    "--seconds", type=click.FloatRange(0, min_open=True, max=1e7),
    help=f"So much game time; {SECONDS:g} by default.",
)  # fmt: skip
CLIP = click.option(
    "--clip", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Keep a clip there, with each tick of the tree.",
)  # fmt: skip
STRICT = click.option("--strict", is_flag=True, help="An error in a leaf ends the run.")


@click.command()
@WORKSPACE
@click.option("--game", help="Whether this game has all that the workspace names, too.")
@SKILL
@JSON
def check(workspace: str, game: str | None, skill: int | None, as_json: bool) -> None:
    """Say all that is wrong with WORKSPACE, each with its file and line.

    Nothing is run. The exit code is 1 if anything is wrong; warnings leave it at 0.

    \b
    Example:
      playhead tree check my_workspace
      playhead tree check yard_guard --game arena:yard --json
    """
    from ...agents.behaviour_trees.tree_game_run import body_of, find_workspace
    from ...agents.behaviour_trees.workspace.workspace import Workspace
    from ...agents.behaviour_trees.workspace.workspace_checker import (
        check_for_body,
        check_workspace,
    )

    read = Workspace(find_workspace(workspace))
    problems = check_workspace(read)
    if game is not None:
        own_path(game, list(FAMILIES))
        with open_game(game, **_settings(skill)) as opened:
            for drives in dict.fromkeys(agent.drives for agent in read.agents.values()):
                whose = f"{drives} of {game}"
                problems += check_for_body(read, body_of(opened, drives), whose)
    wrong = sum(not one.is_warning for one in problems)
    if as_json:
        problem_rows = [{**one._asdict(), "path": one.file} for one in problems]
        echo(json.dumps({
            "workspace": workspace, "agents": sorted(read.agents), "nodes": len(read.nodes),
            "problems": problem_rows,
        }))  # fmt: skip
    elif problems:
        echo([one.text for one in problems])
    else:
        counts = f"{len(read.agents)} agents, {len(read.nodes)} nodes,"
        leaves = len(read.action_nodes) + len(read.trigger_nodes)
        echo(f"{workspace}: {counts} {leaves} leaves, all of them sound")
    if wrong:
        click.get_current_context().exit(FAILED)


@click.command()
@WORKSPACE
@click.argument("game")
@click.option("--agent", help="Which agent of the workspace; the first one by default.")
@SEED
@click.option("--seeds", metavar="A..B", help="Run it once for each seed from A to B.")
@FRAMES
@LASTS
@SKILL
@CLIP
@STRICT
@JSON
def run(
    workspace: str, game: str, agent: str | None, seed: int | None, seeds: str | None,
    frames: int | None, seconds: float | None, skill: int | None, clip: Path | None, strict: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Let an agent of WORKSPACE play GAME, as fast as the game goes.

    WORKSPACE is a folder, or the name of one that comes along: yard_guard, doom_marine. The exit
    code is 1 if anything went wrong in a leaf; the agent goes on all the same, but with --strict.

    \b
    Example:
      playhead tree run yard_guard arena:yard --seconds 60 --clip guard.mcap
      playhead tree run doom_marine doom:map01 --seeds 1..3 --json
    """
    _run(
        workspace, game, agent, seeds_of(seed, seeds), frames, seconds, skill, clip, strict, as_json
    )


@click.command()
@WORKSPACE
@click.argument("game")
@click.argument("sentence")
@SEED
@FRAMES
@LASTS
@SKILL
@CLIP
@STRICT
@JSON
def chat(
    workspace: str, game: str, sentence: str, seed: int | None, frames: int | None,
    seconds: float | None, skill: int | None, clip: Path | None, strict: bool, as_json: bool,
) -> None:  # fmt: skip
    """Run the agent of WORKSPACE that SENTENCE calls for.

    Words are compared with each agent's name, phrases and description. With a language model set
    (PLAYHEAD_LLM_URL, PLAYHEAD_LLM_MODEL, PLAYHEAD_LLM_KEY) it is asked instead. If no agent is
    meant, or two are as likely, none is run, which is an error.

    \b
    Example:
      playhead tree chat yard_guard arena:yard 'patrol the yard'
    """
    from ...agents.behaviour_trees.language_model.chat_endpoint import endpoint_from_environment
    from ...agents.behaviour_trees.language_model.match_agent_to_request import choose_agent

    read = _loaded(workspace)
    choice = choose_agent(read, sentence, endpoint_from_environment())
    if choice.agent is None:
        raise TreeError(f"{sentence!r:.80}: {choice.why}")
    echo(f"{choice.agent}: {choice.why}", err=True)
    _run(
        workspace, game, choice.agent, seeds_of(seed, None), frames, seconds, skill, clip, strict,
        as_json,
    )  # fmt: skip


@click.command()
@WORKSPACE
@click.argument("game")
@click.argument("wish")
@click.option("--agent", required=True, help="What the new agent is to be called.")
@click.option("--drives", default="player", show_default=True, help="Whom it drives.")
@SKILL
def make(
    workspace: str, game: str, wish: str, agent: str, drives: str, skill: int | None
) -> None:  # fmt: skip
    """Let a language model add an agent to WORKSPACE that does in GAME what WISH says.

    A workspace that is not there is made. The model is that of any endpoint that speaks OpenAI's
    chat completions: set PLAYHEAD_LLM_URL, PLAYHEAD_LLM_MODEL and, if it needs one,
    PLAYHEAD_LLM_KEY. Each answer is checked as a workspace is; what can't be used after one repair
    is refused, and then nothing is changed.

    \b
    Example:
      playhead tree make mine arena:yard 'walk to every noise' --agent listener --drives middle
    """
    from ...agents.behaviour_trees.language_model.agent_from_description import make_agent
    from ...agents.behaviour_trees.language_model.chat_endpoint import (
        MODEL,
        URL,
        endpoint_from_environment,
    )
    from ...agents.behaviour_trees.tree_game_run import body_of
    from ...agents.behaviour_trees.workspace.workspace_writer import new_workspace

    endpoint = endpoint_from_environment()
    if endpoint is None:
        raise CommandError(f"no language model is set: set {URL} and {MODEL}")
    own_path(game, list(FAMILIES))
    folder = Path(workspace)
    with open_game(game, **_settings(skill)) as opened:
        body = body_of(opened, drives)
        if not folder.exists():
            new_workspace(folder, body)
        made = make_agent(
            folder, agent, wish, body, endpoint, drives,
            lambda step: echo(f"playhead: {step} …", err=True),
        )  # fmt: skip
    echo(
        f"{workspace}: {agent} is made, of {len(made.nodes)} nodes: playhead tree check {workspace}"
    )


@click.command()
@WORKSPACE
@click.argument("game")
@click.option("--drives", default="player", show_default=True, help="Who looks around.")
@SEED
def scan(workspace: str, game: str, drives: str, seed: int | None) -> None:
    """Make the map of WORKSPACE by looking around in GAME along rays, from place to place.

    The drawing in map_data/map_info.yml is replaced; its places stay.

    \b
    Example:
      playhead tree scan my_workspace arena:yard
    """
    from ...agents.behaviour_trees.tree_game_run import body_of, find_workspace
    from ...agents.behaviour_trees.workspace.workspace import Workspace
    from ...agents.behaviour_trees.workspace.workspace_writer import put_map
    from ...games.ray_map_builder import scan_map
    from ...games.tree_body_interface import SeesByRays

    own_path(game, list(FAMILIES))
    folder = Workspace(find_workspace(workspace)).folder
    with open_game(game, seed=seed) as opened:
        body = body_of(opened, drives)
        if not isinstance(body, SeesByRays):
            raise CommandError(f"{game} can't be scanned: {drives} has no rays to look along")
        low, high = body.scan_bounds
        here = (body.position[0], body.position[1])
        found = scan_map(body.ray, here, body.scan_cell, low, high, room=body.room)
    put_map(folder, found)
    echo(f"{folder}: a map of {found.rows} × {found.columns} cells")


@click.command()
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
def schemas(out: Path) -> None:
    """Write the JSON schema of each file of a workspace to the folder OUT.

    \b
    Example:
      playhead tree schemas schemas
    """
    from ...agents.behaviour_trees.workspace.workspace_items import schemas as all_schemas

    for name, schema in all_schemas().items():
        path = out / f"{Path(name).stem}.schema.json"
        try:
            out.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(schema, indent=2) + "\n", "utf-8")
        except OSError as error:
            raise CommandError(f"the schema can't be written to {path}: {error}") from error
        echo(str(path))


def _run(
    workspace: str, game: str, agent: str | None, seeds: Sequence[int | None],
    frames: int | None, seconds: float | None, skill: int | None, clip: Path | None, strict: bool,
    as_json: bool,
) -> None:  # fmt: skip
    from ...agents.behaviour_trees.tree_game_run import chosen_agent, run_tree

    if frames is not None and seconds is not None:
        raise click.UsageError("give --frames or --seconds, not both")
    own_path(game, list(FAMILIES))
    read = _loaded(workspace)
    name = chosen_agent(read, agent)
    outcomes: list[TreeOutcome] = []
    with bar("running") as tell:
        for number, seed in enumerate(seeds):
            with open_game(game, seed=seed, **_settings(skill)) as opened:
                steps = frames or max(1, round((seconds or SECONDS) / opened.dt))

                def before_step(frame: int, number: int = number, steps: int = steps) -> bool:
                    if frame % 60 == 0:
                        tell(number * steps + frame, len(seeds) * steps)
                    return True

                one = clip
                if clip is not None and len(seeds) > 1:
                    one = clip.with_stem(f"{clip.stem}-seed{seed}")
                outcome = run_tree(
                    read, opened, name, frames=steps, seed=seed, clip=one, is_strict=strict,
                    before_step=before_step,
                )  # fmt: skip
            outcomes.append(outcome)
            if as_json:
                echo(json.dumps(outcome.facts))
    if not as_json:
        echo(table(outcomes))
    if any(not outcome.is_sound for outcome in outcomes):
        click.get_current_context().exit(FAILED)


def table(outcomes: "Sequence[TreeOutcome]") -> list[str]:
    """What came of some runs, as aligned lines to be read."""
    rows, notes = [], []
    for one in outcomes:
        seed = "–" if one.seed is None else str(one.seed)
        result = "sound" if one.is_sound else "errors"
        still = f"{one.longest_still:.1f} s"
        rows.append((seed, one.agent, result, str(one.frames), f"{one.seconds:.1f} s", still))
        most = sorted(one.actions.items(), key=lambda entry: -entry[1])
        notes.append(f"seed {seed}: " + ", ".join(f"{name} {count}" for name, count in most))
        notes += [f"  {failure} ({count} times)" for failure, count in one.failures.items()]
        if one.clip is not None:
            notes.append(f"  clip {one.clip}")
    head = ("seed", "agent", "result", "frames", "time", "longest still")
    return [*table_lines(head, rows, ("agent", "result")), *notes]


def _loaded(workspace: str) -> "Workspace":
    from ...agents.behaviour_trees.tree_game_run import find_workspace
    from ...agents.behaviour_trees.workspace.workspace_checker import load_workspace

    return load_workspace(find_workspace(workspace))


def _settings(skill: int | None) -> dict[str, Any]:
    return {} if skill is None else {"skill": skill}
