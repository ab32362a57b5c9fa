"""What an agent learns in the arena: `examples/learn_to_aim.py`, with a few seeds.

A learner that is no better than that is a fault of the environment: rewards that lead elsewhere,
observations that leave out what matters, or a step that is too slow to learn anything in minutes.
"""

import importlib.util
import runpy
import statistics
import time
from pathlib import Path
from types import SimpleNamespace

from ..support.report_table import Line
from ..support.timing import FULL, QUICK, Size

EXAMPLE = Path(__file__).parents[2] / "examples/learn_to_aim.py"
STEPS, SEEDS = 400_000, (0, 1, 2)
PROMISED = 0.4
"""The part of the rounds that the median of the seeds loses, at most."""


def measure(size: Size) -> list[Line]:
    what = "rounds of goto that are lost"
    if importlib.util.find_spec("stable_baselines3") is None:
        return [Line(what, None, note="stable-baselines3 is not installed: the extra is rl")]
    example = SimpleNamespace(**runpy.run_path(str(EXAMPLE)))
    is_full_size = size == FULL
    steps = STEPS if is_full_size else STEPS // 10 if size == QUICK else 1
    seeds = SEEDS if is_full_size else SEEDS[:1]
    rounds = 200 if size in (FULL, QUICK) else 2
    before, after, minutes = [], [], []
    for seed in seeds:
        model = example.beginner(seed)
        before.append(1 - example.wins(example.play(model, rounds)))
        start = time.process_time()
        example.learn(model, steps)
        minutes.append((time.process_time() - start) / 60)
        after.append(1 - example.wins(example.play(model, rounds)))
    lost = ", ".join(f"{part:.2f}" for part in after)
    goal = PROMISED if is_full_size else None
    return [
        Line(f"{what} before learning", statistics.median(before), "of 1"),
        Line(f"{what} after {steps:,} steps, median", statistics.median(after), "of 1", goal, lost),
        Line("learning, one seed, CPU time", statistics.median(minutes), "min"),
    ]
