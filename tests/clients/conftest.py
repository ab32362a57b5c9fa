"""A service in a process of its own, as a person starts it, for games and tools of any language."""

import contextlib
import json
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from playhead.bus.client.client import Client

from ..support.process import PLAYHEAD, Process, run_process


class RunningService(Process):
    """`playhead serve` on free ports of this machine."""

    def __init__(self, *options: str) -> None:
        where = ("--bind", "tcp://127.0.0.1:*", "--gateway", "127.0.0.1:0", "--json")
        super().__init__(PLAYHEAD, "serve", *where, *options)
        result = json.loads(self.line())
        self.address: str = result["endpoint"]
        """Where tools connect."""
        self.url: str = result["gateway"]
        """Where games and browsers connect, with the token."""

    def client(self, name: str = "test", **settings: Any) -> Client:
        """A tool on the bus; close it."""
        return Client(self.address, name=name, **settings)

    def stop(self) -> dict[str, Any]:
        """End it in good order; returns what it says of the recording."""
        code, message, err = self.interrupt()
        assert code == 0, f"the service ended with {code}: {err}"
        facts: dict[str, Any] = json.loads(message.splitlines()[-1]) if message.strip() else {}
        return facts


@contextlib.contextmanager
def running(*options: str) -> Iterator[RunningService]:
    """A service for as long as the block lasts, however that ends."""
    with RunningService(*options) as service:
        yield service
        if service.poll() is None:
            service.stop()


@pytest.fixture
def service() -> Iterator[RunningService]:
    """A service that records whatever game connects."""
    with running() as service:
        yield service


@pytest.fixture(scope="session")
def node() -> list[str]:
    """How Node is started so that it has WebSockets."""
    program = shutil.which("node")
    for options in ([], ["--experimental-websocket"]):
        asked = [program or "false", *options, "-p", "typeof WebSocket"]
        if program and run_process(*asked).stdout.strip() == "function":
            return [program, *options]
    pytest.skip("node with a WebSocket is not installed")
