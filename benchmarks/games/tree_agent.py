"""An agent that is a behaviour tree from a workspace: what a step takes, with its recording."""

import statistics
import time

from playhead.adapters.behaviour_trees.tree_observer import TreeObserver
from playhead.agents.behaviour_trees.tree_agent import TreeAgent
from playhead.agents.behaviour_trees.tree_game_run import body_of, find_workspace
from playhead.agents.behaviour_trees.workspace.workspace_checker import load_workspace
from playhead.games.game_catalog import open_game
from playhead.games.game_interface import step_game
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.session import Session

from ..support.report_table import Line
from ..support.timing import Size

PROMISED = 1000.0
"""Microseconds of a step, at most: as for the playthrough agent."""
STEPS = 1200
ANSWER_AFTER = 0.1


def measure(size: Size) -> list[Line]:
    steps = STEPS if size.rounds >= 8 else STEPS // 10
    lines = []
    for name, is_recorded in (("unrecorded", False), ("recorded", True)):
        spent = sorted(_steps(steps, is_recorded=is_recorded))
        p99 = spent[min(len(spent) - 1, len(spent) * 99 // 100)]
        lines.append(Line(
            f"a step of a guard's tree, {name}, median", statistics.median(spent), "µs",
            PROMISED, f"p99 {p99:.0f} µs; {steps} steps of yard_guard in the arena",
        ))  # fmt: skip
    return lines


def _steps(steps: int, *, is_recorded: bool) -> list[float]:
    """Microseconds of the thread's CPU time of each step."""
    workspace = load_workspace(find_workspace("yard_guard"))
    spent = []
    with (
        open_game("arena:yard", seed=7) as game,
        Session(game.world, "32 MiB", handlers=game.handlers, on_check=UNATTENDED) as session,
    ):
        game.attach(session)
        body = body_of(game, workspace.agents["guard"].drives)
        with TreeAgent(workspace, "guard", body, answer_after=ANSWER_AFTER) as agent:
            observer = None
            if is_recorded:
                assert agent.tree is not None
                agent.record(session)
                observer = TreeObserver(
                    agent.tree, session.recorder, body.object, "guard", session.hooks.table
                )
            for _ in range(steps):
                start = time.thread_time_ns()
                agent.step(game.dt)
                spent.append((time.thread_time_ns() - start) / 1000)
                step_game(game)
                session.update(game.dt)
            if observer is not None:
                observer.close()
    return spent
