"""Runs a plan in a game that runs in another process, in any language."""

from pathlib import Path

from ....bus.client.client import Client
from ....bus.client.remote_instrumentation import AgentInstrumentation
from ....errors import BusError, PlayheadError
from ....games.action_outcome_validators import ActionValidators
from ....playback.pads.pad import NEUTRAL
from ...replay.replay_loop import free_name
from ..plan_checker import check_begin, check_for_game, check_plan
from ..plan_file import PlanFile
from ..plan_outcome import PlanFailure, PlanOutcome
from .connected_game import PATIENCE, ConnectedGame
from .plan_agent import PlanAgent


def run_connected(
    file: PlanFile, client: Client, *, validators: ActionValidators | None = None,
    clips: Path | None = None, patience: float = PATIENCE, begin: int = 1,
) -> PlanOutcome:  # fmt: skip
    """Carry out a plan in the game at the other end of the bus, from where it is.

    Args:
        validators: Used in the place of what the game declares.
        clips: Keep a clip of a failure in this folder.
        patience: Seconds of real time in which the game has to say something.
        begin: The node to begin with, counted from 1; those before it are skipped.

    Raises:
        PlanError: the game has not what the plan names, or the plan has no such node.
        GameError: the game can't be driven by plans.
        BusError: it did not answer.
    """
    game = ConnectedGame(client, validators=validators, patience=patience)
    check_for_game(file.plan, game.name, file.file)
    check_plan(file, game)
    check_begin(file, begin)
    instruments = AgentInstrumentation(client)
    first = game.frame
    agent = PlanAgent(
        file.plan, game, game.dt, instruments=instruments, clock=lambda: game.state.time,
        frame=lambda: game.frame, begin=begin,
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
    clip, trouble = None, ""
    if failure is not None and clips is not None:
        clip, trouble = _keep(client, clips, file.name, first)
    return PlanOutcome(
        file.name, None, failure is None, game.state.time - begun, tuple(agent.outcomes),
        tuple(agent.actions), agent.rules_fired, failure, clip, trouble,
    )  # fmt: skip


def _keep(client: Client, clips: Path, title: str, first: int) -> tuple[str | None, str]:
    try:
        clips.mkdir(parents=True, exist_ok=True)
        client.flush()
        span = client.snapshot().span
        start = None if span is None else min(max(first, span.oldest), span.newest)
        row = client.save(str(free_name(clips, title).absolute()), start)
        return row.path or None, ""
    except (PlayheadError, BusError, OSError) as error:
        return None, f"no clip of {title}: {error}"
