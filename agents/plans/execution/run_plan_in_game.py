"""Runs a plan in a game, records it, and returns the outcome."""

from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from ....errors import PlayheadError
from ....games.game_catalog import open_game
from ....games.game_interface import Game, step_game
from ....playback.pads.pad import NEUTRAL
from ....recorder.checks.check_policy import UNKEPT, CheckPolicy
from ....session import Session
from ...replay.replay_loop import free_name
from ..plan import Movement
from ..plan_checker import check_begin, check_for_game, check_plan, plan_game
from ..plan_file import PlanFile, load_plan
from ..plan_outcome import PlanFailure, PlanOutcome
from ..policy.policy_model import SHIPPED, PolicyModel, load_policy
from .plan_agent import OnWalk, PlanAgent

AFTER = 60
"""Steps that are played on after a failure, so that a clip shows what came of it."""
MEMORY = "64 MiB"


def run_plan(
    file: PlanFile, game: Game, *, seed: int | None = None, clips: Path | None = None,
    session: Session | None = None, before_step: Callable[[], bool] = lambda: True,
    name: str = "", policy: PolicyModel | None = None, clip: Path | None = None, begin: int = 1,
    on_walk: OnWalk = lambda task, seen: None, on_check: CheckPolicy = UNKEPT, opened_as: str = "",
) -> PlanOutcome:  # fmt: skip
    """Carry out a plan in a game that has just begun.

    Args:
        seed: The game's, for the report.
        clips: Keep a clip of a failure in this folder.
        session: Record into this one; by default into one of its own.
        before_step: Called before each step; False ends the run.
        name: What the clip is called; the plan's name by default.
        policy: What the movement `policy` is left to; the model that comes along by default.
        clip: Keep a clip of the whole run in this file, whatever comes of it.
        begin: The node to begin with, counted from 1; those before it are skipped.
        on_walk: See `PlanAgent`.
        on_check: What a failed check does in a session of its own.
        opened_as: The name by which the game was opened, which the plan may have in place of its
            own.

    Raises:
        PlanError: the game has not what the plan names, or the plan has no such node.
        GameError: the game can't be driven by plans, or broke.
    """
    driven = plan_game(game)
    check_for_game(file.plan, file.file, game.name, opened_as)
    check_plan(file, driven)
    check_begin(file, begin)
    title = name or file.name
    own = session is None
    used = session or Session(
        game.world, MEMORY, handlers=game.handlers, on_check=on_check, about=game.about
    )
    try:
        game.attach(used)
        agent = PlanAgent(
            file.plan, driven, game.dt, instruments=used, clock=game.world.time,
            frame=lambda: _frame(used), policy=policy, file=file,
            begin=begin, on_walk=on_walk,
        )  # fmt: skip
        steps, pad, last = 0, NEUTRAL, AFTER
        while before_step():
            driven.hold(pad)
            began = perf_counter()
            step_game(game)
            steps += 1
            used.watch("plan.game step", perf_counter() - began, driven.player)
            if not agent.done:
                pad = agent.step(driven.observe())
            else:
                pad = NEUTRAL
                last -= 1
            used.update(game.dt)
            if agent.done and (agent.failure is None or last <= 0):
                break
        clip_path, trouble = None, ""
        if clip is not None:
            clip_path, trouble = _keep(used, clip, title)
        elif agent.failure is not None and clips is not None:
            clip_path, trouble = _keep_in(used, clips, title)
        agent.close()
        stopped = not agent.done
        failure = agent.failure
        if stopped:
            failure = PlanFailure("it was ended before the plan was done", "game", agent.index + 1)
        return PlanOutcome(
            file.name, seed, failure is None, steps * game.dt, tuple(agent.outcomes),
            tuple(agent.actions), agent.rules_fired, failure, clip_path, trouble,
        )  # fmt: skip
    finally:
        driven.hold(None)
        if own:
            used.close()


def run_seed(
    file: PlanFile, game: str, seed: int | None, clips: Path | None, settings: dict[str, Any],
    movement: Movement | None = None, policy: str = SHIPPED, clip: Path | None = None,
    begin: int = 1, before_step: Callable[[], bool] = lambda: True,
) -> PlanOutcome:  # fmt: skip
    """Start a game by its name, carry out a plan in it, and end it.

    Args:
        movement: That of all nodes and rules, instead of what the plan says.
        policy: The file of the model that moves where the movement is `policy`.
        clip: Keep a clip of the whole run in this file.
        begin: The node to begin with, counted from 1; those before it are skipped.
        before_step: Called before each step; False ends the run.
    """
    title = file.name
    name = title if seed is None else f"{title}-seed{seed}"
    if movement is not None:
        file = file.moved_by(movement)
    model = load_policy(policy) if policy != SHIPPED else None
    with open_game(game, seed=seed, **settings) as opened:
        return run_plan(
            file, opened, seed=seed, clips=clips, name=name, policy=model, clip=clip,
            begin=begin, before_step=before_step, opened_as=game,
        )  # fmt: skip


def run_named(
    plan: str, game: str, seed: int | None, clips: Path | None, settings: dict[str, Any],
    movement: Movement | None = None, policy: str = SHIPPED, clip: Path | None = None,
    begin: int = 1, before_step: Callable[[], bool] = lambda: True,
) -> PlanOutcome:  # fmt: skip
    """The same for a plan in a file: for processes of their own, which share no plan."""
    file = load_plan(plan, strict=False)
    return run_seed(
        file, game, seed, clips, settings, movement, policy, clip, begin, before_step=before_step
    )


def _frame(session: Session) -> int:
    return session.recorder.next_frame


def _keep_in(session: Session, clips: Path, title: str) -> tuple[str | None, str]:
    try:
        clips.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return None, f"no clip of {title}: {error}"
    return _keep(session, free_name(clips, title), title)


def _keep(session: Session, clip: Path, title: str) -> tuple[str | None, str]:
    try:
        return str(session.save(clip.absolute()).path), ""
    except (PlayheadError, OSError) as error:
        return None, f"no clip of {title}: {error}"
