"""A progress bar on stderr for work that takes long, if stderr is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from ...recorder.text.terminal_text import terminal_line


@contextmanager
def bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """A callback that takes how much is done and how much there is."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    with click.progressbar(length=1000, label=terminal_line(label), file=sys.stderr) as bar_widget:

        def update(done: int, total: int) -> None:
            step = 1000 * done // max(total, 1) - bar_widget.pos
            if step > 0:
                bar_widget.update(step)

        yield update
