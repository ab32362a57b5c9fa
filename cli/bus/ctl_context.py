"""What the commands of `playhead ctl` share: the service, and how the outcome is printed."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...runner.terminal.safe_terminal_output import echo
from .connection_options import connected
from .playback_state_text import state_facts, state_text

if TYPE_CHECKING:
    from ...bus.client.client import Client
    from ...playback.playback_state import PlaybackState


class CtlContext(NamedTuple):
    """The service that a command talks to, and how it prints the outcome; Click passes it."""

    endpoint: str
    keys: Path | None
    server: Path | None
    timeout: float
    as_json: bool

    @contextmanager
    def client(self, **rest: Any) -> Iterator["Client"]:
        with connected(
            self.endpoint, self.keys, self.server, name="ctl", timeout=self.timeout, **rest
        ) as client:
            yield client

    def move(self, how: "Callable[[Client], PlaybackState]") -> None:
        """Have a command carried out, and print the playback state after it."""
        with self.client() as client:
            self.print_state(how(client))

    def print_state(self, state: "PlaybackState") -> None:
        echo([json.dumps(state_facts(state)) if self.as_json else state_text(state)])
