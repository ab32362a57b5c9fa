"""Measure each promise about speed and print what was reached beside what was promised.

    python -m benchmarks.run [--only NAME]... [--quick] [--json]

Every figure is taken in this run, from cases that take turns, as CPU time of the calling thread,
or, between processes, in wall-clock time; ratios travel between machines, nanoseconds don't.
"""

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from playhead.native import _ring

from .bus import bus, gateway
from .games import (
    arena_step_cost,
    learning_quality,
    navigation_policy_success,
    playthrough,
    text_to_plan,
    tree_agent,
)
from .playback import clips, history, saving, seek
from .record import (
    calls,
    cost_by_ring_size,
    frame,
    hooks,
    mapped,
    older,
    other_recorders,
    pictures,
    record_batch,
    record_call_cost,
    record_object_list,
    switched_off,
    trees,
)
from .support.report_table import Line, plain, table
from .support.timing import FULL, QUICK, TINY, Size
from .viewer import viewer

BENCHMARKS: dict[str, Callable[[Size], list[Line]]] = {
    "record": record_call_cost.measure,
    "record_list": record_object_list.measure,
    "record_batch": record_batch.measure,
    "seek": seek.measure,
    "mapped": mapped.measure,
    "growth": cost_by_ring_size.measure,
    "older": older.measure,
    "gateway": gateway.measure,
    "clips": clips.measure,
    "history": history.measure,
    "saving": saving.measure,
    "frame": frame.measure,
    "calls": calls.measure,
    "switched_off": switched_off.measure,
    "loggers": other_recorders.measure,
    "bus": bus.measure,
    "viewer": viewer.measure,
    "arena": arena_step_cost.measure,
    "playthrough": playthrough.measure,
    "learning": learning_quality.measure,
    "policy": navigation_policy_success.measure,
    "text_to_plan": text_to_plan.measure,
    "pictures": pictures.measure,
    "trees": trees.measure,
    "tree_agent": tree_agent.measure,
    "hooks": hooks.measure,
}


def machine() -> dict[str, Any]:
    """Where it was measured."""
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
        "ring": _ring.features(),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--only", metavar="NAME", action="append", choices=list(BENCHMARKS))
    parser.add_argument("--quick", action="store_true", help="smaller and rougher, in seconds")
    parser.add_argument("--tiny", action="store_true", help="only to see that everything runs")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    options = parser.parse_args(arguments)
    size = TINY if options.tiny else QUICK if options.quick else FULL
    results: list[dict[str, Any]] = []
    facts = machine()
    if not options.json:
        print(", ".join(f"{name} {value}" for name, value in facts.items()))
    for name in options.only or BENCHMARKS:
        start = time.monotonic()
        lines = BENCHMARKS[name](size)
        results += plain(name, lines)
        if not options.json:
            print(f"\n{table(name, lines)}\n  ({time.monotonic() - start:.1f} s)", flush=True)
    if options.json:
        json.dump({"machine": facts, "size": size._asdict(), "results": results}, sys.stdout)
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
