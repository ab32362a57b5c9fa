"""What the arena costs: a crowd in the yard, and agent-steps of its environment a second.

An agent-step is one agent's action taken and its observation given. Other people's environments are
stepped as their users step them, through PettingZoo's parallel interface; so is the arena where
that is said.
"""

import importlib
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from playhead.games.arena.entity import STEP
from playhead.games.arena.fps.learning.vector_env import AimVector
from playhead.games.arena.pettingzoo_env import AimArena
from playhead.games.arena.yard_game import ArenaGame
from playhead.session import Session

from ..support.report_table import Line
from ..support.timing import Case, Size, Times, interleave

ARENAS, AGENTS, CROWD = 64, 4, 16
PROMISED = 10.0
"""How many times as long an agent-step of knights-archers-zombies takes, at least."""
GUARDS = 100
CORE = 0.5
"""The part of a core that so many guards take at 60 steps a second, at most."""
ZOMBIES = "butterfly/knights_archers_zombies-v11"


def measure(size: Size) -> list[Line]:
    steps = max(size.frames, 2)
    many = f"AimVector, {ARENAS} arenas × {AGENTS} agents"
    few, crowd = f"AimArena, {AGENTS} agents", f"AimArena, {CROWD} agents"
    yard, recorded = f"yard of {GUARDS} guards", f"yard of {GUARDS} guards, all recorded"
    cases: dict[str, Case] = {
        many: _vector(steps), few: _arena(AGENTS, steps), crowd: _arena(CROWD, steps),
        yard: _yard(steps), recorded: _yard(steps, size.memory),
    }  # fmt: skip
    missing: dict[str, str] = {}
    others: dict[str, Callable[[], Any]] = {"zombies": _zombies, "battle": _battle}
    for name, make in others.items():
        try:
            cases[name] = _parallel(make(), steps)
        except Exception as error:  # whatever keeps somebody else's package from running here
            missing[name] = f"does not run here: {error}"
    times = interleave(cases, max(size.rounds // 2, 2))
    lines = [_share(times, yard), _share(times, recorded), _ratio(times, many, missing, PROMISED)]
    lines += [_ratio(times, name, missing, None) for name in (crowd, few)]
    for name, label in (("zombies", "knights-archers-zombies"), ("battle", "MAgent2's battle")):
        if name in missing:
            lines.append(Line(label, None, "µs", note=missing[name]))
        else:
            lines.append(_plain(times, name, label))
    return lines


def _share(times: Times, name: str) -> Line:
    """A step of the yard, as a part of the time that it may take at 60 a second."""
    note = f"{times.ns(name) / 1e6:.2f} ms a step"
    return Line(f"{name}, 60 steps a second", times.ns(name) / 1e9 / STEP, "cores", CORE, note)


def _ratio(times: Times, name: str, missing: dict[str, str], promised: float | None) -> Line:
    """An agent-step of ours, as a part of one of knights-archers-zombies."""
    note = f"{times.ns(name) / 1000:.1f} µs, {1e9 / times.ns(name):,.0f} a second"
    what = f"agent-step of {name} ÷ knights-archers-zombies"
    if "zombies" in missing:
        return Line(what, None, note=f"{note}; the other {missing['zombies']}")
    goal = None if promised is None else 1 / promised
    note += f", {times.ratio('zombies', name):.1f} times as many"
    return Line(what, times.ratio(name, "zombies"), "×", goal, note)


def _plain(times: Times, name: str, label: str) -> Line:
    ns = times.ns(name)
    return Line(f"agent-step of {label}", ns / 1000, "µs", note=f"{1e9 / ns:,.0f} a second")


def _vector(steps: int) -> Case:
    env = AimVector(arenas=ARENAS, agents=AGENTS)
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    acts = [
        (rng.integers(0, [3, 3, 2], (env.num_envs, 3)), rng.normal(size=(env.num_envs, 1)) * 5)
        for _ in range(16)
    ]

    def case() -> int:
        for step in range(steps):
            env.step(acts[step % 16])
        return steps * env.num_envs

    return case


def _yard(steps: int, memory: int = 0) -> Case:
    """Steps a crowd in the yard, recorded where it is given memory for that."""
    game = ArenaGame(guards=GUARDS)
    session = None
    if memory:
        session = Session(game.world, min(64 << 20, memory), handlers=game.handlers)
        game.attach(session)

    def case() -> int:
        for _ in range(steps):
            game.step()
            if session is not None:
                session.update(STEP)
        return steps

    return case


def _arena(agents: int, steps: int) -> Case:
    return _parallel(AimArena(agents=agents), steps)


def _zombies() -> Any:
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    return importlib.import_module("pettingzoo").make("parallel", ZOMBIES)


def _battle() -> Any:
    return importlib.import_module("magent2.environments.battle_v4").parallel_env()


def _parallel(env: Any, steps: int) -> Case:
    """Steps an environment with actions that were sampled before, as many as agents are live."""
    env.reset(seed=1)
    names = list(env.possible_agents)
    acts = [{name: env.action_space(name).sample() for name in names} for _ in range(16)]

    def case() -> int:
        done = 0
        for step in range(steps):
            if not env.agents:
                env.reset()
            done += len(env.agents)
            sampled = acts[step % 16]
            env.step({name: sampled[name] for name in env.agents})
        return done

    return case
