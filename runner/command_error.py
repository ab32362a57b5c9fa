"""The error of a failed command, as text or JSON, and its exit code."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import click

from ..errors import PlayheadError
from ..games.user_code_loader import user_code_location
from ..installation import extra_with, install_line
from .terminal.safe_terminal_output import echo
from .terminal.signal_handling import Terminated

FAILED = 2
"""The exit code of everything that the person at the keyboard can put right."""
UNEXPECTED = 70
"""The exit code of an error in playhead itself."""
SIGNALLED = 128
"""What a shell adds to the number of the signal that ended a command: 143 for SIGTERM."""
INTERRUPTED = SIGNALLED + 2


class CommandFailure(NamedTuple):
    """An error, printed for people or as JSON for programs."""

    kind: str
    """One word for programs: an error of playhead without its `Error`, `usage`, `file`, …"""
    message: str
    code: int
    hint: str = ""

    @classmethod
    def of(cls, error: BaseException) -> "CommandFailure":
        match error:
            case KeyboardInterrupt() | click.Abort():
                return cls("interrupted", "interrupted", INTERRUPTED)
            case Terminated(number=number):
                return cls("terminated", "terminated", SIGNALLED + number)
            case click.UsageError():
                path = error.ctx.command_path if error.ctx else "playhead"
                return cls("usage", error.format_message(), FAILED, f"see {path} --help")
            case click.ClickException():
                return cls("command", error.format_message(), error.exit_code)
            case PlayheadError():
                kind = type(error).__name__.removesuffix("Error").lower()
                return cls(kind, str(error), FAILED)
            case ModuleNotFoundError(name=str(name)) if extra := extra_with(name):
                missing = f"this needs {name}, which is not installed"
                return cls("missing", missing, FAILED, install_line(extra))
            case OSError(filename=name, strerror=str(reason)) if name is not None:
                return cls("file", f"{name}: {reason}", FAILED)
            case _:
                what = f"unexpected {type(error).__name__}: {error}{user_code_location(error)}"
                return cls("unexpected", what, UNEXPECTED, "say it again with --debug for more")

    def with_detail(self, words: str) -> "CommandFailure":
        """The same, with a detail added to the message."""
        return self._replace(message=f"{self.message}: {words}")

    def print(self, *, as_json: bool, extra: Mapping[str, Any] | None = None) -> None:
        """One object on stdout, or lines on stderr: one, or one for each of several mistakes.

        Args:
            extra: What the object has besides the error.
        """
        # A line that is indented continues the one before.
        mistakes = re.split(r"\n(?=\S)", self.message) if self.code == FAILED else [self.message]
        lines = [" ".join(text.split()) for text in mistakes if text.strip()] or [""]
        if as_json:
            error = {"kind": self.kind, "message": "\n".join(lines)}
            echo(json.dumps({**(extra or {}), "error": error}))
            return
        echo([f"playhead: {line}" for line in lines], err=True)
        if self.hint:
            echo(f"  {self.hint}", err=True)
