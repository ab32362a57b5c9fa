"""A night of replays in games with planted faults: is each found once, and rightly?

    python -m benchmarks.games.planted_fault_night [--plays N] [--every N] [--jobs N] [--keep DIR]

Every fifth play of the dungeon, or every Nth, has a fault: the game crashes, hangs, fails a check
of its own, or gives a wrong answer, a switch that opens nothing. All others must finish. The clips
of what failed are opened, and must begin to differ where the report says.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playhead.recorder.clips.clip_source import ClipSource

FAULTS = ("raises", "dies", "hangs", "asserts", "answers_wrongly")
KINDS = {
    "raises": ("crash",), "dies": ("crash",), "hangs": ("hang",), "asserts": ("assert",),
    "answers_wrongly": ("agent", "outcome"),
}  # fmt: skip
"""What each fault may be reported as."""
GAME = """
import os, signal, time
from playhead.games.arena.adventure.adventure_game import AdventureGame

FAULTS = {faults!r}

class Planted(AdventureGame):
    def __init__(self, *, seed=None):
        super().__init__("dungeon", seed=seed)
        self._fault = FAULTS[seed // {every} % len(FAULTS)] if seed % {every} == 0 else ""

    def step(self):
        super().step()
        if self.adventure.tick == 700 and self._fault:
            getattr(self, self._fault)()
        if self._fault == "answers_wrongly":
            self.adventure.story.flags.discard("door unlocked")

    def raises(self): raise ZeroDivisionError("a stone broke")
    def dies(self): os.kill(os.getpid(), signal.SIGSEGV)
    def asserts(self):
        self.adventure.instruments.check(False, "the floor holds", focus=self.player)
    def answers_wrongly(self): pass
    def hangs(self):
        while True:
            time.sleep(0.01)
"""


def fault_of(seed: int, every: int) -> str:
    """What is planted in the play of a seed; empty for nothing."""
    return "" if seed % every else FAULTS[seed // every % len(FAULTS)]


def play(folder: Path, plays: int, every: int, jobs: int) -> list[dict[str, Any]]:
    """Replay the dungeon's demo so often; the facts of each run."""
    (folder / "planted.py").write_text(GAME.format(faults=FAULTS, every=every), encoding="utf-8")
    demo = Path(__file__).parents[2] / "agents" / "demos" / "dungeon" / "1-dungeon.csv"
    command = [
        sys.executable, "-m", "playhead", "replay", "planted:Planted", str(demo),
        "--seeds", f"1..{plays}", "--jobs", str(jobs), "--headless", "--clips", "kept",
        "--junit", "report.xml", "--json",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"playhead replay ended with {done.returncode}: {done.stderr[-2000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def mistakes(runs: Sequence[dict[str, Any]], plays: int, every: int) -> list[str]:
    """Whatever was not reported, or not rightly."""
    wrong: list[str] = []
    counted = Counter(run["seed"] for run in runs)
    wrong += [f"seed {seed} was reported {counted[seed]} times" for seed in range(1, plays + 1)
              if counted[seed] != 1]  # fmt: skip
    for run in runs:
        seed, failure = run["seed"], run["failure"]
        fault = fault_of(seed, every)
        if not fault:
            if not run["finished"]:
                wrong.append(f"seed {seed} has no fault: {failure['message']}")
        elif failure is None:
            wrong.append(f"seed {seed} {fault}: it finished")
        elif failure["kind"] not in KINDS[fault]:
            wrong.append(f"seed {seed} {fault}: {failure['kind']}, {failure['message']}")
        else:
            wrong += [f"seed {seed} {fault}: {why}" for why in _clip_mistakes(run)]
    return wrong


def _clip_mistakes(run: dict[str, Any]) -> list[str]:
    if not run["clip"]:
        return ["it has no clip"]
    failure, divergence = run["failure"], run["divergence"]
    with ClipSource.open(run["clip"]) as clip:
        marks = list(clip.marks())
        span = clip.span
        failed = [mark for mark in marks if mark.kind == "check"]
        wrong = []
        if len(failed) != 1 or failed[0].frame != failure["frame"]:
            wrong.append(f"{len(failed)} failed checks in the clip, not one at {failure['frame']}")
        if span is None or not span.oldest <= failure["frame"] <= span.newest:
            wrong.append("the clip does not hold the failure")
        if divergence is not None and not any(
            mark.name == "divergence" and mark.frame == divergence["frame"] for mark in marks
        ):
            wrong.append(f"no mark of the divergence at frame {divergence['frame']}")
    return wrong


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="night", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--plays", type=int, default=20)
    parser.add_argument("--every", type=int, default=5, help="every Nth play has a fault")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", type=Path, help="keep clips and report in this folder")
    options = parser.parse_args(arguments)
    if options.plays < 1:
        parser.error("--plays: play at least once")
    if options.every < 1:
        parser.error("--every: 1 plants a fault in each play, 5 in every fifth")
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) if options.keep is None else options.keep.absolute()
        folder.mkdir(parents=True, exist_ok=True)
        runs = play(folder, options.plays, options.every, options.jobs)
        wrong = mistakes(runs, options.plays, options.every)
    seeds = range(1, options.plays + 1)
    faults = Counter(filter(None, (fault_of(seed, options.every) for seed in seeds)))
    faults_text = ", ".join(f"{count} {name}" for name, count in sorted(faults.items()))
    minutes = (time.perf_counter() - started) / 60
    print(f"{options.plays} plays, planted: {faults_text or 'nothing'}; {minutes:.1f} min")
    print("\n".join(wrong) or "each fault was reported once and rightly, and all else finished")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
