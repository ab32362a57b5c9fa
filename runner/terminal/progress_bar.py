"""A progress bar on stderr for work that takes long, if somebody is looking."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from ...recorder.text.terminal_text import terminal_line


@contextmanager
def bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Something to be called with how much is done and how much there is."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    with click.progressbar(length=1000, label=terminal_line(label), file=sys.stderr) as shown:

        def tell(done: int, total: int) -> None:
            step = 1000 * done // max(total, 1) - shown.pos
            if step > 0:
                shown.update(step)

        yield tell
