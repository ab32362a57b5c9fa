"""A service in a process of its own, as a person starts it, for games and tools of any language."""

import contextlib
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from playhead.bus.client import Client

PLAYHEAD = Path(sys.executable).parent / "playhead"
ENDS_WITHIN = 20.0
"""Seconds that a service told to end may take."""


class RunningService:
    """`playhead serve` on free ports of this machine."""

    def __init__(self, *options: str) -> None:
        self._process = subprocess.Popen(
            [PLAYHEAD, "serve", "--bind", "tcp://127.0.0.1:*", "--gateway", "127.0.0.1:0", "--json",
             *options],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        told = json.loads(self._process.stdout.readline() or "{}")
        self.endpoint: str = told.get("endpoint", "")
        """Where tools connect."""
        self.url: str = told.get("gateway", "")
        """Where games and browsers connect, with the token."""
        self.facts: dict[str, Any] = {}
        """What it said in the end, after `stop`."""

    def client(self, name: str = "test", **settings: Any) -> Client:
        """A tool on the bus; close it."""
        return Client(self.endpoint, name=name, **settings)

    def stop(self) -> dict[str, Any]:
        """End it in good order; returns what it says of the recording."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            said, _ = self._process.communicate(timeout=ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
            raise AssertionError("the service did not end when told to") from None
        if said.strip():
            self.facts = json.loads(said.splitlines()[-1])
        assert self._process.returncode == 0, f"the service ended with {self._process.returncode}"
        return self.facts


@contextlib.contextmanager
def running(*options: str) -> Iterator[RunningService]:
    """A service for as long as the block lasts, however that ends."""
    service = RunningService(*options)
    try:
        assert service.url, "the service did not start"
        yield service
    finally:
        service.stop()


@pytest.fixture
def service() -> Iterator[RunningService]:
    """A service that records whatever game connects."""
    with running() as service:
        yield service
