"""Run each harness for a while, in a process of its own; what it finds is left in `out/fuzz`.

    python -m fuzz.run [--seconds N] [NAME]...

An input that was found is tried again with `python -m fuzz.harness NAME FILE`.
"""

import argparse
import importlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HARNESSES = ("requests", "messages", "gateway_json", "frame_images", "demos", "expressions")
MOST_MEMORY = 2048
"""MiB that a harness may take."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(HARNESSES))
    parser.add_argument("--seconds", type=float, default=20.0, help="for each of them")
    parser.add_argument("--out", type=Path, default=Path("out/fuzz"))
    options = parser.parse_args(arguments)
    unknown = set(options.names) - set(HARNESSES)
    if unknown:
        parser.error(f"no harness {', '.join(sorted(unknown))}: there are {', '.join(HARNESSES)}")
    failed = [
        name
        for name in options.names or HARNESSES
        if not survives(name, options.seconds, options.out)
    ]
    say(
        f"failed: {', '.join(failed)}; the inputs are in {options.out}" if failed else "no failures"
    )
    return 1 if failed else 0


def survives(name: str, seconds: float, out: Path) -> bool:
    """Run a harness; whether it found nothing."""
    seeds, found = out / name / "seeds", out / name / "found"
    for folder in (seeds, found):
        folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(importlib.import_module(f"{__package__}.{name}").SEEDS):
        (seeds / f"{number:03}").write_bytes(seed)
    say(f"{name}: {seconds:g} s")
    done = subprocess.run(
        [
            sys.executable, "-m", f"{__package__}.harness", name, str(seeds), "-max_len=4096",
            f"-max_total_time={max(1, round(seconds))}", f"-artifact_prefix={found}{os.sep}",
            f"-rss_limit_mb={MOST_MEMORY}", "-timeout=10", "-print_final_stats=1",
        ],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    lines = done.stderr.splitlines()
    if done.returncode:
        say("\n".join(lines[-60:]))
    else:
        say("\n".join(line for line in lines if "number_of_executed_units" in line))
    return done.returncode == 0


def say(text: str) -> None:
    """A line about the progress."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
