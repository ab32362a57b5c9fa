"""Runs a plan in a game that runs in another process, in any language."""

from pathlib import Path

from ....bus.client.client import Client
from ....bus.client.remote_instrumentation import AgentInstrumentation
from ....errors import BusError, PlayheadError
from ....games.action_outcome_validators import ActionValidators
from ....playback.pads.pad import NEUTRAL
from ...replay.replay_loop import free_name
from ..plan import Movement
from ..plan_checker import check_begin, check_for_game, check_plan
from ..plan_file import PlanFile
from ..plan_outcome import PlanFailure, PlanOutcome
from ..policy.policy_model import SHIPPED, load_policy
from .plan_agent import PlanAgent
from .remote_plan_game import PATIENCE, RemotePlanGame


def run_connected(
    file: PlanFile, client: Client, *, validators: ActionValidators | None = None,
    clips: Path | None = None, patience: float = PATIENCE, begin: int = 1,
    movement: Movement | None = None, policy: str = SHIPPED, clip: Path | None = None,
) -> PlanOutcome:  # fmt: skip
    """Carry out a plan in the game at the other end of the bus, from where it is.

    A game that is paused goes on: a failed check pauses it, also that of the plan before.

    Args:
        validators: Used in the place of what the game declares.
        clips: Keep a clip of a failure in this folder.
        patience: Seconds of real time in which the game has to say something.
        begin: The node to begin with, counted from 1; those before it are skipped.
        movement: That of all nodes and rules, instead of what the plan says.
        policy: The file of the model that moves where the movement is `policy`.
        clip: Keep a clip of the whole run in this file, whatever comes of it.

    Raises:
        PlanError: the game has not what the plan names, or the plan has no such node.
        GameError: the game can't be driven by plans.
        BusError: it did not answer.
    """
    client.leave()
    game = RemotePlanGame(client, validators=validators, patience=patience)
    check_for_game(file.plan, file.file, game.name)
    check_plan(file, game)
    check_begin(file, begin)
    if movement is not None:
        file = file.moved_by(movement)
    instruments = AgentInstrumentation(client)
    first = game.frame
    agent = PlanAgent(
        file.plan, game, game.dt, instruments=instruments, clock=lambda: game.state.time,
        frame=lambda: game.frame, policy=load_policy(policy) if policy != SHIPPED else None,
        file=file, begin=begin,
    )  # fmt: skip
    begun, broken = game.state.time, ""
    try:
        while not agent.done:
            instruments.time, before = game.time, game.state.time
            pad = agent.step(game.observe())
            game.next(NEUTRAL if agent.done else pad)
            # Who reads slowly sees the newest state only.
            agent.dt = max(game.dt, game.state.time - before)
    except PlayheadError as error:
        broken = str(error)
    finally:
        agent.close()
    failure = agent.failure
    if broken and failure is None:
        failure = PlanFailure(
            broken, "game", agent.index + 1, object=game.player, frame=game.frame,
            time=game.state.time,
        )  # fmt: skip
    kept, trouble = None, ""
    if clip is not None:
        kept, trouble = _keep(client, clip, file.name, first)
    elif failure is not None and clips is not None:
        kept, trouble = _keep_in(client, clips, file.name, first)
    return PlanOutcome(
        file.name, None, failure is None, game.state.time - begun, tuple(agent.outcomes),
        tuple(agent.actions), agent.rules_fired, failure, kept, trouble,
    )  # fmt: skip


def _keep_in(client: Client, clips: Path, title: str, first: int) -> tuple[str | None, str]:
    try:
        clips.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return None, f"no clip of {title}: {error}"
    return _keep(client, free_name(clips, title), title, first)


def _keep(client: Client, clip: Path, title: str, first: int) -> tuple[str | None, str]:
    try:
        client.flush()
        span = client.snapshot().span
        start = None if span is None else min(max(first, span.oldest), span.newest)
        row = client.save(str(clip.absolute()), start)
        return row.path or None, ""
    except (PlayheadError, BusError, OSError) as error:
        return None, f"no clip of {title}: {error}"
