"""What hooks cost while none is set: a tick of a tree, and a step of guards that decide."""

from typing import Any

import py_trees

from playhead.adapters.behaviour_trees.tree_observer import TreeObserver
from playhead.games.game_catalog import open_game
from playhead.games.game_interface import step_game
from playhead.recording_session import record
from playhead.session import Session

from ..support.report_table import Line
from ..support.timing import Case, Size, interleave
from .trees import FRAME, NODES, TICKS, guard

STEPS = 120


def measure(size: Size) -> list[Line]:
    py_trees.blackboard.Blackboard.clear()
    times = interleave(
        {"without": _ticks(hookable=False), "with": _ticks(hookable=True)}, size.rounds
    )
    tick = times.ns("with") / times.ns("without")
    asked = interleave({"asked": _asked(), "nothing": _nothing()}, size.rounds)
    step = interleave({"step": _steps()}, size.rounds).ns("step")
    share = (asked.ns("asked") - asked.ns("nothing")) / step
    return [
        Line(
            "a recorded tick of 500 nodes that hooks can be set on, none set ÷ one that none can",
            tick, "×", 1.01, f"{times.ns('without') / 1000:.0f} µs",
        ),
        Line(
            "a guard's question whether a hook is set ÷ its step of arena:dungeon", share, "×",
            0.01, f"{(asked.ns('asked') - asked.ns('nothing')):.0f} ns",
        ),
    ]  # fmt: skip


def _ticks(*, hookable: bool) -> Case:
    root = guard(NODES)
    rec = record(dt=FRAME, memory="32 MiB")
    TreeObserver(root, rec.recorder, 0, "guard", rec.hooks.table if hookable else None)

    def case() -> int:
        for _ in range(TICKS):
            root.tick_once()
            rec.update()
        return TICKS

    return case


def _asked() -> Case:
    from playhead.decision_rules import hooks_on

    session = record(dt=FRAME)

    def case() -> int:
        for agent in range(1000):
            hooks_on(session, agent, "guard")
        return 1000

    return case


def _nothing() -> Case:
    def case() -> int:
        for _ in range(1000):
            pass
        return 1000

    return case


def _steps() -> Case:
    game: Any = open_game("arena:dungeon", seed=1)
    session = Session(game.world, "64 MiB", handlers=game.handlers, about=game.about)
    game.attach(session)

    def case() -> int:
        for _ in range(STEPS):
            step_game(game)
            session.update(game.dt)
        return STEPS

    return case
