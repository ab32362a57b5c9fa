"""A Godot project that runs in the real engine, headless, for tests."""

import json
import re
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any

from ...support.process import Process
from ...support.waits import LIMIT, until

GODOT = shutil.which("godot3-server")


class Game:
    """A project that runs in the engine.

    Args:
        project: Its folder.
        home: Where the engine may keep what it likes.
        url: The gateway's; empty for a game that nobody records.
        paced: Whether it runs in real time; else as fast as it can, and the game waits for the
            service.
    """

    def __init__(
        self, project: Path, home: Path, *arguments: str, url: str = "", paced: bool = False
    ) -> None:
        assert GODOT is not None
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        environment = {"HOME": str(home), "LANG": "en_US.UTF-8"}
        environment.update(PLAYHEAD_URL=url, PLAYHEAD_WAIT="0" if paced else "1")
        pace = [] if paced else ["--fixed-fps", "60"]
        self.process = Process(
            GODOT, "--path", project, *pace, f"--probe={self._port}", *arguments, env=environment,
            stderr=subprocess.STDOUT,
        )  # fmt: skip
        self._probe: socket.socket | None = None
        # A service that does not take events yet refuses those of the example.
        self._allowed = []

    def ask(self, command: str = "where") -> dict[str, Any]:
        """Where everything is."""
        if self._probe is None:
            self._probe = self._connected()
        self._probe.sendall(command.encode() + b"\n")
        data = b""
        while not data.endswith(b"\n"):
            more = self._probe.recv(1 << 16)
            assert more, f"the game has ended:\n{self.log}"
            data += more
        where: dict[str, Any] = json.loads(data)
        return where

    def _connected(self) -> socket.socket:
        connected: list[socket.socket] = []

        def connect() -> bool:
            assert self.process.poll() is None, f"the game has ended:\n{self.log}"
            try:
                connected.append(socket.create_connection(("127.0.0.1", self._port), LIMIT))
            except ConnectionRefusedError:
                return False
            return True

        until(connect)
        return connected[0]

    @property
    def log(self) -> str:
        """What it has said so far."""
        return self.process.output

    def end(self) -> list[str]:
        """Wait for its end; the hash of the world after each step."""
        assert self.process.end().returncode == 0, self.log
        self.close()
        return re.findall(r"^STEP \d+ (\w+)$", self.log, re.MULTILINE)

    def close(self) -> None:
        """End it however it stands, and see that the engine had nothing to complain of."""
        self.process.close()
        if self._probe is not None:
            self._probe.close()
            self._probe = None
        complaints = [
            line
            for line in self.log.splitlines()
            if re.search(r"ERROR|playhead:", line)
            and not any(text in line for text in self._allowed)
        ]
        assert not complaints

    def allow(self, text: str) -> None:
        """Lines with this text are no fault."""
        self._allowed.append(text)
