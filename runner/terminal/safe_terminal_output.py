"""The one place through which commands write to the terminal."""

import logging
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import click

from ...recorder.text.terminal_text import terminal_line, terminal_text


def echo(text: str | Iterable[str] = "", *, err: bool = False) -> None:
    """Write a text, or some lines, and flush: nothing in it can steer the terminal.

    Args:
        text: A text keeps its newlines. Of lines each stays one line, whatever is in it.
        err: To stderr instead of stdout.
    """
    if not isinstance(text, str):
        text = "\n".join(map(terminal_line, text))
    click.echo(terminal_text(text), err=err)


class _Formatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return terminal_text(f"playhead: {super().format(record)}")


class _Handler(logging.Handler):
    """Writes to the stderr of the moment, as `echo` does."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            sys.stderr.write(f"{self.format(record)}\n")
            sys.stderr.flush()
        except Exception:
            self.handleError(record)


@contextmanager
def logged() -> Iterator[None]:
    """Show the warnings and errors of the logger `playhead` in the way of all other messages."""
    logger, handler = logging.getLogger("playhead"), _Handler(logging.WARNING)
    handler.setFormatter(_Formatter())
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
