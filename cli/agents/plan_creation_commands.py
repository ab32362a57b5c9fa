"""`playhead plan new`, `record`, `from-demo`, `join`: make plans."""

import json
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...agents.replay.demos.demo_files import shipped
from ...errors import CommandError
from ...games.game_catalog import FAMILIES, open_game
from ...games.game_interface import Game
from ...games.playable_as_game import check_person
from ...games.playable_interface import Playable
from ...games.user_code_loader import own_path
from ...recorder.saving.atomic_file import check_free
from ...runner.command_error import CommandFailure
from ...runner.runner import RunOptions, progress, record
from ...runner.terminal.safe_terminal_output import echo
from ...runner.terminal.signal_handling import Stopper, Terminated, exception_of_signal
from ..bus.bus_server_options import settings_of
from ..bus.connection_options import FILE
from ..games.run import HIDDEN, can_have_window

if TYPE_CHECKING:
    from ...agents.plans.creation.plan_recorder import PlanRecorder, RecordingSettings
    from ...agents.plans.plan_file import PlanFile

MOST = 600.0
"""Seconds of game time after which a scripted person ends that does not come to the game's end."""
OUT = click.argument(
    "out", type=click.Path(dir_okay=False, path_type=Path), metavar="OUT.plan.yaml"
)
SEED = click.option("--seed", type=int, help="Decides everything that is left to chance.")
SKILL = click.option("--skill", type=int, help="doom: how hard it is, 1 to 5.")
JSON = click.option("--json", "as_json", is_flag=True, help="Print the facts as one JSON object.")


def recording_options(command: Callable[..., None]) -> Callable[..., None]:
    """How a play is recorded as a plan: handed on as `settings`."""

    @click.option(
        "--period", type=float, default=1.0, show_default=True,
        help="Seconds of game time from one place to the next.",
    )  # fmt: skip
    @click.option(
        "--near", type=float, help="How near an actor must be to be proposed for a place."
    )
    @click.option(
        "--take-actors", is_flag=True,
        help="Go to the proposed actors; without this they are only in comments.",
    )  # fmt: skip
    @click.option(
        "--raw", is_flag=True, help="Leave every place as it was recorded, and make no rules."
    )
    @wraps(command)
    def with_settings(
        *, period: float, near: float | None, take_actors: bool, raw: bool, **rest: Any
    ) -> None:
        from ...agents.plans.creation.plan_recorder import RecordingSettings

        command(settings=RecordingSettings(period, near, take_actors, raw), **rest)

    return with_settings


@click.command()
@OUT
@click.option("--game", help="The game that it is for: what it offers is then listed in comments.")
@SKILL
@JSON
def new(out: Path, game: str | None, skill: int | None, as_json: bool) -> None:
    """Write a plan with one node, to begin with.

    \b
    Example:
      playhead plan new level.plan.yaml --game arena:dungeon
    """
    from ...agents.plans.creation.new_and_joined_plans import new_plan
    from ...agents.plans.plan_checker import plan_game

    check_free(out)
    if game is None:
        _write(new_plan(), out, as_json=as_json)
        return
    own_path(game, list(FAMILIES))
    with open_game(game, **({} if skill is None else {"skill": skill})) as opened:
        _write(new_plan(game, plan_game(opened)), out, as_json=as_json)


@click.command("record")
@click.argument("game")
@OUT
@click.option(
    "--seconds", type=float,
    help=f"Game time to record; by default until the window is closed, headless until the game is"
    f" finished, {MOST:g} at most.",
)  # fmt: skip
@SEED
@SKILL
@click.option("--headless", is_flag=True, help="Without a window: the scripted person plays.")
@recording_options
@JSON
def record_plan(
    game: str, out: Path, seconds: float | None, seed: int | None, skill: int | None,
    headless: bool, settings: "RecordingSettings", as_json: bool,
) -> None:  # fmt: skip
    """Record a play of GAME as a plan: where the player was, and each action with its target.

    With a display a person plays, with keyboard or gamepad, until the window is closed; headless,
    or without a display, the game's scripted person does. Places on a straight walkable line are
    left out, the nearest actor is proposed for each, and what was done to actors that come and go,
    such as enemies, becomes a rule. No file is ever replaced.

    \b
    Example:
      playhead plan record arena:dungeon level.plan.yaml
      playhead plan record arena:village level.plan.yaml --headless --seed 3 --take-actors
    """
    from ...agents.plans.creation.play_to_plan_recorder import PlayToPlanRecorder

    if seconds is not None and not 0 < seconds < 1e9:
        raise CommandError(f"--seconds {seconds:g}: record for more than 0 seconds")
    check_free(out)
    own_path(game, list(FAMILIES))
    window = not headless and can_have_window(locked=False)
    factory: dict[str, Any] = {} if skill is None else {"skill": skill}
    with open_game(game, seed=seed, **factory) as opened:
        if not window:
            check_person(opened)
        play = PlayToPlanRecorder(opened, settings)
        try:
            if window:
                options = RunOptions(seconds, bus=settings_of(HIDDEN, None, None), window=True)
                signal = record(play.game, options, print_address=False).signal
            else:
                signal = _play(play.game, seconds)
        except BaseException as error:
            _keep(play.recorder, game, out, error)
            raise
        finally:
            play.recorder.close()
        comment = _comment(play.recorder, seed)
        _write(play.recorder.plan(game, comment), out, as_json=as_json and not signal)
    if signal:
        failure = CommandFailure.of(exception_of_signal(signal)).with_detail(
            f"what was played is in {out}"
        )
        failure.print(as_json=as_json)
        click.get_current_context().exit(failure.code)


@click.command("from-demo")
@click.argument("demos", nargs=-1, type=FILE, metavar="DEMO.csv …")
@click.option("--game", required=True, help="The game that they are demos of.")
@click.option(
    "-o", "--out", type=click.Path(dir_okay=False, path_type=Path), metavar="OUT.plan.yaml",
    help="Write the plan there instead of printing it.",
)  # fmt: skip
@SEED
@SKILL
@recording_options
@JSON
def from_demo(
    demos: Sequence[Path], game: str, out: Path | None, seed: int | None, skill: int | None,
    settings: "RecordingSettings", as_json: bool,
) -> None:  # fmt: skip
    """Make a plan of each DEMO.csv, one after another: they are played, and that is recorded.

    Without a demo those are taken that come along with the game. A demo that can't be played to
    its end makes no plan.

    \b
    Example:
      playhead plan from-demo errands.csv --game arena:village -o errands.plan.yaml
      playhead plan from-demo --game arena:village -o village.plan.yaml
    """
    from ...agents.plans.creation.demo_to_plan import plan_of_demos

    if out is not None:
        check_free(out)
    own_path(game, list(FAMILIES))
    paths = list(demos) or shipped(game)
    if not paths:
        raise CommandError(f"no demo of {game} comes along: name a file, such as my.csv")
    factory: dict[str, Any] = {} if skill is None else {"skill": skill}
    made = plan_of_demos(paths, game, settings, seed=seed, **factory)
    _write(made, out, as_json=as_json)


@click.command()
@click.argument("plans", nargs=-1, required=True, type=FILE, metavar="PLAN …")
@click.option(
    "-o", "--out", type=click.Path(dir_okay=False, path_type=Path), metavar="OUT.plan.yaml",
    help="Write the plan there instead of printing it.",
)  # fmt: skip
@JSON
def join(plans: Sequence[Path], out: Path | None, as_json: bool) -> None:
    """Join plans to one: all nodes one after another, all rules; comments stay.

    \b
    Example:
      playhead plan join errands.plan.yaml gate.plan.yaml -o level.plan.yaml
    """
    from ...agents.plans.creation.new_and_joined_plans import joined
    from ...agents.plans.plan_file import load_plan

    if out is not None:
        check_free(out)
    _write(joined([load_plan(one) for one in plans], str(out or "<plan>")), out, as_json=as_json)


COMMANDS = (new, record_plan, from_demo, join)


def _play(game: Game, seconds: float | None) -> int:
    """The scripted person plays, until the game is finished, the time is over or a signal comes.

    Returns the number of the signal; 0 if there was none.
    """
    assert isinstance(game, Playable)
    most = max(1, round((MOST if seconds is None else seconds) / game.dt))
    with Stopper() as stopper:
        try:
            for _ in progress(most, f"recording {game.name}"):
                with stopper.step():
                    game.hold(None)
                    game.step()
                    seen = game.observe()
                if seconds is None and (seen.finished or seen.dead):
                    break
        except (KeyboardInterrupt, Terminated):
            if stopper.interrupted_step:
                raise
            return stopper.number
    return 0


def _keep(recorder: "PlanRecorder", game: str, out: Path, error: BaseException) -> None:
    """What was played before an error is worth something all the same."""
    if len(recorder):
        recorder.plan(game, f"Recorded until {error!r}.").save(out)
        echo(f"playhead: what was recorded until then is in {out}", err=True)


def _comment(recorder: "PlanRecorder", seed: int | None) -> str:
    summary = f"Recorded: {recorder.seconds:.1f} s of play"
    return f"{summary}." if seed is None else f"{summary}, seed {seed}."


def _write(file: "PlanFile", out: Path | None, *, as_json: bool) -> None:
    nodes, rules = len(file.plan.nodes), len(file.plan.rules)
    if out is not None:
        file.save(out)
    if as_json:
        place = None if out is None else str(out)
        echo(json.dumps({
            "plan": place, "game": file.plan.game, "nodes": nodes, "rules": rules,
            "text": file.text(),
        }))  # fmt: skip
    elif out is None:
        echo(file.text().splitlines())
    else:
        echo(f"{out}: {_count(nodes, 'node')} and {_count(rules, 'rule')}")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
