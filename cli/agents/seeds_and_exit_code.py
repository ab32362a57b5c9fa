"""What commands that run something under many seeds share: the seeds, and the exit code."""

from collections.abc import Sequence

import click

from ...errors import CommandError

FAILED = 1
"""The exit code if any run did not come to its end."""


def seeds_of(seed: int | None, seeds: str | None) -> Sequence[int | None]:
    """The seeds of `--seed` or `--seeds`.

    Raises:
        CommandError: they make no sense.
    """
    if seeds is None:
        return [seed]
    if seed is not None:
        raise click.UsageError("give --seed or --seeds, not both")
    first, dots, last = seeds.partition("..")
    try:
        found = range(int(first), int(last if dots else first) + 1)
    except ValueError:
        found = range(0)
    if not found:
        raise CommandError(f"--seeds {seeds!r}: give the first and the last one, such as 1..100")
    return found
