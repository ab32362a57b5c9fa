"""`playhead plan`: checks and runs explicit plans."""

import importlib
import json
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import CommandError, GameError, PlanError
from ...games.game_catalog import FAMILIES, open_game, variant_settings
from ...games.user_code_loader import own_path
from ...recorder.monotonic_timeline import exactly
from ...runner.realtime_loop import AGENT
from ...runner.terminal.progress_bar import bar
from ...runner.terminal.safe_terminal_output import echo
from ...runner.terminal.text_table import table_lines
from ..bus.connection_options import CLIPS, FILE, JSON_RUNS, JUNIT, KEYS_HELP, Commands, connected
from .plan_creation_commands import COMMANDS
from .plan_language_server import serve
from .seeds_and_exit_code import FAILED, seeds_of

if TYPE_CHECKING:
    from ...agents.plans.plan import Movement
    from ...agents.plans.plan_file import PlanFile
    from ...agents.plans.plan_outcome import PlanOutcome
    from ...agents.plans.policy.policy_benchmark import ComparedRun, ModelScore
    from ...agents.plans.text.text_to_plan import ReadSentence
    from ...games.action_outcome_validators import ActionValidators
    from ...runner.worker_pool import WorkerDeath

MOVEMENTS = ("walk", "run", "straight", "teleport", "policy")
PLANS = click.argument("plans", nargs=-1, required=True, metavar="PLAN …")
MOVEMENT = click.option(
    "--movement", type=click.Choice(MOVEMENTS), help="Instead of what the plan says of each step."
)
POLICY = click.option(
    "--policy", default="shipped", show_default=True, metavar="FILE",
    help="What the movement `policy` is left to; see playhead train.",
)  # fmt: skip
GAME = click.option("--game", help="The game; the one that the plan names by default.")
SKILL = click.option("--skill", type=int, help="doom: how hard it is, 1 to 5.")
LEVEL_VARIANTS = click.option(
    "--level-variants", is_flag=True,
    help="Each seed makes another level, such as one whose actors stand elsewhere.",
)  # fmt: skip
_SCORES = ("model", "finished", "nodes", "rules", "validations", "cells", "time")
_READ = ("line", "sentence", "read as", "sure")
_MOST_SENTENCE, _MOST_READ = 48, 200
"""The most characters of a sentence, and the most sentences, that are shown."""
_HEAD = ("seed", "plan", "result", "time", "nodes", "rules fired")


@click.group(cls=Commands, no_args_is_help=False)
def plan() -> None:
    """Explicit plans: where to go and what to do there, each action validated; *.plan.yaml.

    Where a plan is asked for, a game's name means the plan that comes with that game.

    \b
    Example:
      playhead plan run arena:dungeon
      playhead plan new level.plan.yaml --game arena:dungeon
      playhead plan record arena:dungeon level.plan.yaml
      playhead plan check level.plan.yaml
      playhead plan run level.plan.yaml --seeds 1..100 --jobs 4 --junit report.xml
    """


@plan.command()
@PLANS
@GAME
@click.option("--seed", type=int, help="Decides everything that is left to chance.")
@click.option("--seeds", metavar="A..B", help="Carry each plan out once for each seed from A to B.")
@click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, help="So many games at once."
)
@LEVEL_VARIANTS
@MOVEMENT
@POLICY
@SKILL
@CLIPS
@JUNIT
@click.option(
    "--clip", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.mcap",
    help="Of a single run: keep a clip of it, whatever comes of it.",
)  # fmt: skip
@click.option(
    "--from", "begin", type=click.IntRange(1), default=1, metavar="NODE",
    help="Begin with this node, from where the player is: those before it are skipped.",
)  # fmt: skip
@JSON_RUNS
@click.option(
    "--connect", metavar="ENDPOINT", help="In a game that is connected to playhead serve there."
)
@click.option(
    "--validators", metavar="MODULE:NAME",
    help="With --connect: ActionValidators in the place of what the game declares.",
)  # fmt: skip
@click.option("--keys", type=FILE, help=f"With --connect: {KEYS_HELP}")
@click.option("--server", type=FILE, help="With --connect: the service's public key.")
def run(
    plans: Sequence[str], game: str | None, seed: int | None, seeds: str | None, jobs: int,
    level_variants: bool, movement: "Movement | None", policy: str, skill: int | None,
    clips: Path | None, junit: Path | None, clip: Path | None, begin: int, as_json: bool,
    connect: str | None, validators: str | None, keys: Path | None, server: Path | None,
) -> None:  # fmt: skip
    """Carry out each PLAN as fast as the game goes, and say what came of it.

    A plan fails if any action did not change what it must change, if its event did not come in
    time, or if a node could not be gone to. The exit code is 1 if any plan failed.

    \b
    Example:
      playhead plan run arena:dungeon --seeds 1..20
      playhead plan run arena:dungeon --seeds 1..20 --level-variants
      playhead plan run level.plan.yaml --clips failures --json
      playhead plan run arena:dungeon --movement policy
      playhead plan run level.plan.yaml --from 3 --clip run.mcap
      playhead plan run room.plan.yaml --connect 5670
    """
    from ...agents.plans.junit_report import write_junit
    from ...agents.plans.policy.policy_model import load_policy

    load_policy(policy)
    files = [loaded_plan(one) for one in plans]
    if connect is None and (validators is not None or keys is not None or server is not None):
        raise click.UsageError("--validators, --keys and --server go with --connect")
    if connect is None:
        games = {file.file: game_of_plan(file, game) for file in files}
        settings = game_settings(games.values(), skill, level_variants)
        runs = [
            (file, games[file.file], one, settings[games[file.file]])
            for file in files for one in seeds_of(seed, seeds)
        ]  # fmt: skip
        most = _single(clip, len(runs))
        found = _carried_out(runs, jobs, clips, movement, policy, clip, begin)
    else:
        started = {"--game": game, "--seed": seed, "--seeds": seeds, "--skill": skill,
                   "--level-variants": level_variants or None}  # fmt: skip
        for option, value in started.items():
            if value is not None:
                raise click.UsageError(
                    f"{option} is for games that are started here: leave it out with --connect"
                )
        most = _single(clip, len(files))
        found = _carried_out_there(
            files, connect, validators, clips, (keys, server), begin, movement, policy, clip
        )
    outcomes: list[PlanOutcome] = []
    with bar("carrying out plans") as tell:
        for outcome in found:
            outcomes.append(outcome)
            tell(len(outcomes), most)
            if as_json:
                echo(json.dumps(outcome.facts))
            if outcome.trouble:
                echo(f"playhead: {outcome.trouble}", err=True)
    if not as_json:
        echo(table(outcomes))
    if junit is not None:
        write_junit(outcomes, junit)
    if any(not outcome.finished for outcome in outcomes):
        click.get_current_context().exit(FAILED)


@plan.command()
@PLANS
@GAME
@SKILL
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each plan.")
def check(plans: Sequence[str], game: str | None, skill: int | None, as_json: bool) -> None:
    """Say whether the game of each PLAN has all that the plan names.

    Nothing is played. The exit code is 1 if anything is wrong.

    \b
    Example:
      playhead plan check level.plan.yaml
      playhead plan check level.plan.yaml --game arena:village --json
    """
    from ...agents.plans.plan_checker import check_for_game, check_plan, plan_game

    settings = {} if skill is None else {"skill": skill}
    wrong = 0
    for one in plans:
        facts: dict[str, Any] = {"path": one, "nodes": 0, "rules": 0, "problems": []}
        try:
            file = loaded_plan(one)
            facts |= {"nodes": len(file.plan.nodes), "rules": len(file.plan.rules)}
            name = game_of_plan(file, game)
            with open_game(name, **settings) as opened:
                check_for_game(file.plan, file.file, opened.name, name)
                check_plan(file, plan_game(opened))
        except PlanError as error:
            wrong += 1
            facts["problems"] = str(error).splitlines()
        if as_json:
            echo(json.dumps(facts))
        elif facts["problems"]:
            echo(facts["problems"])
        else:
            echo(f"{one}: {_counts(facts['nodes'], facts['rules'])}, all of them known")
    if wrong:
        click.get_current_context().exit(FAILED)


@plan.command("from-text")
@click.argument("file", type=FILE)
@click.option("--game", required=True, help="The game whose actions and actors are meant.")
@SKILL
@click.option(
    "-o", "--out", type=click.Path(dir_okay=False, path_type=Path), metavar="OUT.plan.yaml",
    help="Write the plan there instead of printing it.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each sentence.")
def from_text(
    file: Path, game: str, skill: int | None, out: Path | None, as_json: bool
) -> None:  # fmt: skip
    """Make a plan of the steps in FILE, written in English, a sentence or more a line.

    What each sentence was read as is printed on stderr, and how sure that is. What is like nothing
    that the game has is reported with its line, and then no plan is made. The exit code is 1 then.

    \b
    Example:
      playhead plan from-text steps.txt --game arena:dungeon -o level.plan.yaml
      playhead plan from-text steps.txt --game arena:dungeon --json
    """
    from ...agents.plans.plan_checker import check_plan, plan_game
    from ...agents.plans.text.text_to_plan import TextToPlan, read_steps

    own_path(game, list(FAMILIES))
    text = read_steps(file)
    settings = {} if skill is None else {"skill": skill}
    with open_game(game, **settings) as opened:
        driven = plan_game(opened)
        steps = TextToPlan(driven)
        found = steps.read(text, str(file))
        if as_json:
            for one in found:
                echo(json.dumps(one.facts))
        else:
            echo(reading_table(found), err=True)
        try:
            made = steps.plan(found, game, str(file))
            check_plan(made, driven)
        except PlanError as error:
            if not as_json:
                echo(str(error).splitlines(), err=True)
            click.get_current_context().exit(FAILED)
    if out is not None:
        made.save(out)
    if out is None and not as_json:
        echo(made.text().splitlines())
    elif not as_json:
        rules = len(made.plan.rules)
        echo(f"{out}: {_counts(len(made.plan.nodes), rules)}")


@plan.command()
@PLANS
@GAME
@click.option(
    "--model", "models", multiple=True, metavar="MODEL", default=("policy", "walk"),
    show_default=True,
    help="A policy's file, `policy` for the one that comes along, or a movement such as `walk`;"
    " give one or more.",
)  # fmt: skip
@click.option("--seed", type=int, help="Decides everything that is left to chance.")
@click.option("--seeds", metavar="A..B", help="Carry each plan out once for each seed from A to B.")
@click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, help="So many games at once."
)
@LEVEL_VARIANTS
@SKILL
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each model.")
def compare(
    plans: Sequence[str], game: str | None, models: Sequence[str], seed: int | None,
    seeds: str | None, jobs: int, level_variants: bool, skill: int | None, as_json: bool,
) -> None:  # fmt: skip
    """Carry out each PLAN with each MODEL, and say which of them finishes how many.

    What was covered is printed beside it: nodes that were done, rules that fired, validations that
    passed, and cells of the map that were walked on. The best model comes first: the one that
    finishes most, and of several such the one that covers most.

    \b
    Example:
      playhead plan compare arena:dungeon --model my-policy.npz --model policy --model walk
      playhead plan compare suite/*.plan.yaml --model new.npz --model old.npz --seeds 1..20 --json
    """
    from ...agents.plans.policy.policy_benchmark import compared_run, scores, way_of_moving
    from ...runner.parallel_map import ordered_calls

    wanted = list(dict.fromkeys(models))
    for model in wanted:
        way_of_moving(model)
    files = [loaded_plan(one) for one in plans]
    games = {file.file: game_of_plan(file, game) for file in files}
    settings = game_settings(games.values(), skill, level_variants)
    runs = [
        (file.file, games[file.file], one, settings[games[file.file]], model)
        for model in wanted for file in files for one in seeds_of(seed, seeds)
    ]  # fmt: skip
    found: dict[str, list[ComparedRun]] = {model: [] for model in wanted}
    with bar("comparing") as tell:
        for number, (made, of) in enumerate(
            zip(ordered_calls(compared_run, runs, jobs, _died), runs, strict=True)
        ):
            found[of[-1]].append(made)
            tell(number + 1, len(runs))
    those = scores(found)
    if as_json:
        echo([json.dumps(one.facts) for one in those])
    else:
        echo(score_table(those))


def reading_table(found: "Sequence[ReadSentence]") -> list[str]:
    """What each sentence was read as, as aligned lines to be read."""
    rows = [
        (
            str(one.line),
            textwrap.shorten(one.sentence, _MOST_SENTENCE, placeholder=" …"), one.text,
            "" if one.kind == "unknown" else f"{one.confidence:.2f}",
        )
        for one in found[:_MOST_READ]
    ]  # fmt: skip
    more = [f"… and {len(found) - _MOST_READ} more"] if len(found) > _MOST_READ else []
    return [*table_lines(_READ, rows, ("sentence", "read as")), *more]


def _died(call: tuple[Any, ...], death: "WorkerDeath") -> "ComparedRun":
    raise GameError(f"the process of {call[1]} {death.reason}")


def _counts(nodes: int, rules: int) -> str:
    counts = ((nodes, "node"), (rules, "rule"))
    return " and ".join(f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts)


def score_table(scores: "Sequence[ModelScore]") -> list[str]:
    """What each model has made of its runs, as aligned lines to be read."""
    rows = [
        (
            one.model, f"{one.finished} of {one.runs}", one.nodes.text, one.rules.text,
            one.validations.text, one.cells.text, f"{one.seconds:.1f} s",
        )
        for one in scores
    ]  # fmt: skip
    notes = [line for one in scores for line in (f"{one.model}: {why}" for why in one.failures)]
    return [*table_lines(_SCORES, rows, ("model",)), *notes]


for _command in COMMANDS:
    plan.add_command(_command)
plan.add_command(serve)


def table(outcomes: "Sequence[PlanOutcome]") -> list[str]:
    """What came of some runs, as aligned lines to be read."""
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    for one in outcomes:
        seed = "–" if one.seed is None else str(one.seed)
        done = sum(node.done for node in one.nodes)
        rows.append((
            seed, one.plan, "finished" if one.finished else "failed", f"{one.seconds:.1f} s",
            f"{done} of {len(one.nodes)}", str(one.rules_fired),
        ))  # fmt: skip
        if one.failure is not None:
            notes.append(f"{one.plan}, seed {seed}:")
            where = f"frame {one.failure.frame}, {exactly(one.failure.time)} s"
            notes.append(f"  {one.failure.message} — {where}")
            notes += [
                f"  {name}: {one.failure.before.get(name)} before,"
                f" {one.failure.after.get(name)} after"
                for name in dict.fromkeys((*one.failure.before, *one.failure.after))
            ]
            if one.clip is not None:
                notes.append(f"  clip {one.clip}")
    lines = table_lines(_HEAD, rows, ("plan", "result"))
    finished = sum(one.finished for one in outcomes)
    return [*lines, f"{finished} of {len(outcomes)} runs finished", *notes]


def loaded_plan(name: str) -> "PlanFile":
    """The plan in a file, or the one that comes along with a game of this name.

    Raises:
        CommandError: none comes along with that game.
        PlanError: it can't be read, or is no plan.
    """
    from ...agents.plans.plan_file import load_plan, shipped_plan

    if not name.endswith((".yaml", ".yml")) and ":" in name:
        path = shipped_plan(name)
        if path is None:
            raise CommandError(f"no plan of {name} comes along: name a file, such as my.plan.yaml")
        return load_plan(path)
    return load_plan(name, strict=False)


def game_of_plan(file: "PlanFile", game: str | None) -> str:
    """The game to carry a plan out in: the one that was given, or else the one that it names.

    Raises:
        CommandError: there is neither, or no such game.
        PlanError: the plan is malformed.
    """
    name = game or file.plan.game
    if not name and file.problems:
        raise file.error(file.problems)
    if not name:
        raise CommandError(f"{file.file} names no game: write `game:` in it, or give --game")
    own_path(name, list(FAMILIES))
    return name


def game_settings(
    games: Iterable[str], skill: int | None, level_variants: bool
) -> dict[str, dict[str, Any]]:
    """What each of these games is started with, beside its seed.

    Raises:
        CommandError: it makes no variants of its level.
    """
    found: dict[str, dict[str, Any]] = {}
    for game in set(games):
        found[game] = variant_settings(game) if level_variants else {}
        if level_variants and not found[game]:
            raise CommandError(f"{game} has one level for all seeds: leave --level-variants out")
        if skill is not None:
            found[game]["skill"] = skill
    return found


def _single(clip: Path | None, runs: int) -> int:
    if clip is not None and runs != 1:
        raise CommandError(f"--clip {clip} is of a single run, these are {runs}: use --clips")
    return runs


def _carried_out_there(
    files: "Sequence[PlanFile]", endpoint: str, validators: str | None, clips: Path | None,
    locked: tuple[Path | None, Path | None], begin: int, movement: "Movement | None", policy: str,
    clip: Path | None,
) -> "Iterator[PlanOutcome]":  # fmt: skip
    """What came of each plan in the game at an endpoint, one after another."""
    from ...agents.plans.execution.remote_plan_run import run_connected

    used = None if validators is None else _validators(validators)
    with connected(endpoint, *locked, name=AGENT) as client:
        for file in files:
            yield run_connected(
                file, client, validators=used, clips=clips, begin=begin, movement=movement,
                policy=policy, clip=clip,
            )  # fmt: skip


def _validators(name: str) -> "ActionValidators":
    from ...games.action_outcome_validators import ActionValidators

    module, _, attribute = name.partition(":")
    own_path(module, ())
    try:
        found = getattr(importlib.import_module(module), attribute)
    except Exception as error:  # a user's module may raise anything while it is loaded
        raise CommandError(f"--validators {name}: {error!r}; give MODULE:NAME") from error
    if not isinstance(found, ActionValidators):
        raise CommandError(f"--validators {name}: {found!r} are no ActionValidators")
    return found


_Run = tuple["PlanFile", str, int | None, dict[str, Any]]


def _carried_out(
    runs: Sequence[_Run], jobs: int, clips: Path | None, movement: "Movement | None", policy: str,
    clip: Path | None, begin: int,
) -> "Iterator[PlanOutcome]":  # fmt: skip
    """What came of each run, in their order."""
    from ...agents.plans.execution.run_plan_in_game import run_named
    from ...agents.plans.plan_file import plan_name
    from ...agents.plans.plan_outcome import PlanFailure, PlanOutcome
    from ...runner.parallel_map import ordered_calls

    calls = [
        (file.file, game, seed, clips, settings, movement, policy, clip, begin)
        for file, game, seed, settings in runs
    ]  # fmt: skip

    def died(call: tuple[Any, ...], death: "WorkerDeath") -> PlanOutcome:
        plan, name, seed = call[:3]
        failure = PlanFailure(f"the process of {name} {death.reason}", "game", 0)
        return PlanOutcome(plan_name(plan), seed, False, 0.0, (), (), {}, failure)

    return ordered_calls(run_named, calls, jobs, died)
