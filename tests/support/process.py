"""Programs in processes of their own: how tests start them, talk to them, and end them."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple

from .waits import LIMIT

ROOT = Path(__file__).resolve().parents[2]
PLAYHEAD = Path(sys.executable).parent / "playhead"
"""The command, as it is installed beside this interpreter."""
LENIENT = {"PLAYHEAD": "on"}
"""Changes to the environment: as users run it, where an error of the game costs a packet only."""
ON_THE_BUS = ("--headless", "--bus", "tcp://127.0.0.1:*")
WITH_SUPPORT = {
    "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
}
"""Changes to the environment: the program can import `tests.support` and what else is here."""

Changes = Mapping[str, str | None]
"""Variables of the environment to set, or, with None, to remove."""


def environment(changes: Changes | None = None) -> dict[str, str]:
    """This process's environment with changes; output comes unbuffered."""
    variables = {**os.environ, "PYTHONUNBUFFERED": "1", **(changes or {})}
    return {name: value for name, value in variables.items() if value is not None}


def run_process(
    *command: object, env: Changes | None = None, limit: float = LIMIT, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end; what it said is in the result.

    Args:
        command: The program and its arguments.
        env: Changes to the environment.
        limit: Seconds after which it is killed.
        options: What else `subprocess.run` takes.

    Raises:
        subprocess.TimeoutExpired: it did not end in time.
    """
    options = {"capture_output": True, "text": True, "check": False, **options}
    words = [os.fspath(word) if isinstance(word, Path) else str(word) for word in command]
    return subprocess.run(words, env=environment(env), timeout=limit, **options)


def run_python(code: str, *arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run some Python to its end; see `run_process`. It can import `tests.support`."""
    options["env"] = {**WITH_SUPPORT, **(options.get("env") or {})}
    return run_process(sys.executable, "-c", code, *arguments, **options)


class Ended(NamedTuple):
    """How a process ended."""

    returncode: int
    stdout: str
    """What it said that had not been read before."""
    stderr: str


class _Stream:
    """What a process says on one of its outputs, read as it comes by a thread."""

    def __init__(self, pipe: IO[bytes], name: str) -> None:
        self.text = ""
        self._at = 0
        self._ended = False
        self._changed = threading.Condition()
        self._pipe = pipe
        self._thread = threading.Thread(target=self._read, name=name, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):  # closed meanwhile
            while data := self._pipe.read1(1 << 16):  # type: ignore[attr-defined]
                with self._changed:
                    self.text += data.decode(errors="replace")
                    self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def line(self, limit: float) -> str | None:
        """The next line without its end; empty at the end of all, None if none comes in time."""

        def there() -> bool:
            return self._ended or "\n" in self.text[self._at :]

        with self._changed:
            if not self._changed.wait_for(there, limit):
                return None
            line, _, _ = self.text[self._at :].partition("\n")
            self._at = min(self._at + len(line) + 1, len(self.text))
            return line.rstrip("\r")

    def at_end(self) -> bool:
        with self._changed:
            return self._ended and self._at == len(self.text)

    def rest(self, limit: float) -> str | None:
        """All that was not read yet, once it has ended; None if it does not end in time."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._ended, limit):
                return None
            rest, self._at = self.text[self._at :], len(self.text)
            return rest

    def close(self, limit: float) -> None:
        self._thread.join(limit)
        if not self._thread.is_alive():
            self._pipe.close()


class Process:
    """A program in a process of its own, which leads a group: none of the group is left behind.

    Close it, or have the fixture `start_process` do so.

    Args:
        command: The program and its arguments.
        env: Changes to the environment.
        talks: Whether it is told something on its standard input.
        options: What else `subprocess.Popen` takes; an output that is given there is not read.
    """

    def __init__(
        self, *command: object, env: Changes | None = None, talks: bool = False, **options: Any
    ) -> None:
        self.command = " ".join(str(word)[:200] for word in command)
        options = {
            "stdin": subprocess.PIPE if talks else subprocess.DEVNULL,
            "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "start_new_session": True,
            **options,
        }  # fmt: skip
        words = [os.fspath(word) if isinstance(word, Path) else str(word) for word in command]
        self._process = subprocess.Popen(words, env=environment(env), **options)
        self._streams = {
            name: _Stream(pipe, f"{name} of {self._process.pid}")
            for name in ("stdout", "stderr")
            if (pipe := getattr(self._process, name)) is not None
        }
        self._grouped = bool(options["start_new_session"])

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def output(self) -> str:
        """All that it has said so far, on both outputs."""
        return "\n".join(stream.text for stream in self._streams.values())

    def endpoint(self) -> str:
        """Where it is on the bus, as commands say first.

        Raises:
            AssertionError: it says something else.
        """
        output = self.line("stderr")
        found = re.match(r"on the bus at (\S+)", output)
        assert found, f"{self.command} is not on the bus: {output}"
        return found[1]

    def poll(self) -> int | None:
        """Its exit code, None while it runs."""
        return self._process.poll()

    def line(self, stream: str = "stdout", limit: float = LIMIT) -> str:
        """The next line that it says, without its end; empty at the end of all.

        Raises:
            AssertionError: it says none in time.
        """
        line = self._streams[stream].line(limit)
        assert line is not None, f"{self.command} said no line within {limit:g} s\n{self.output}"
        return line

    def find(self, pattern: str, stream: str = "stdout", limit: float = LIMIT) -> "re.Match[str]":
        """Read lines until one has this in it.

        Raises:
            AssertionError: it ends without, or says nothing more in time.
        """
        while True:
            line = self.line(stream, limit)
            if found := re.search(pattern, line):
                return found
            assert not self._streams[stream].at_end(), (
                f"{self.command} ended without {pattern!r}\n{self.output}"
            )

    def say(self, line: str = "") -> None:
        """Tell it something, as a line."""
        assert self._process.stdin is not None
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()

    def close_input(self) -> None:
        """There is nothing more to be told."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    def send_signal(self, number: int) -> None:
        self._process.send_signal(number)

    def wait(self, limit: float = LIMIT) -> int:
        """Wait for its end; its exit code.

        Raises:
            AssertionError: it does not end in time.
        """
        try:
            return self._process.wait(limit)
        except subprocess.TimeoutExpired:
            raise AssertionError(
                f"{self.command} runs still after {limit:g} s\n{self.output}"
            ) from None

    def end(self, limit: float = LIMIT) -> Ended:
        """Wait for its end, and for the end of all that it says."""
        code = self.wait(limit)
        rest = {name: stream.rest(limit) for name, stream in self._streams.items()}
        assert None not in rest.values(), f"somebody else keeps the outputs of {self.command} open"
        return Ended(code, rest.get("stdout") or "", rest.get("stderr") or "")

    def interrupt(self, limit: float = LIMIT) -> Ended:
        """End it as a person does with Ctrl-C."""
        if self._process.poll() is None:
            self.send_signal(signal.SIGINT)
        return self.end(limit)

    def children(self) -> list[int]:
        """The processes that it has started; none where there is no /proc."""
        try:
            listed = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text()
        except OSError:
            return []
        return [int(child) for child in listed.split()]

    def kill(self) -> None:
        """End it and its group without warning, as a crash would."""
        # Once it has ended and nobody of its group is left, its number may be somebody else's. As
        # long as one is left the number is given to nobody.
        is_ours = self._process.poll() is None or not _is_there(self._process.pid)
        if self._grouped and is_ours and hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait(LIMIT)

    def close(self) -> None:
        """Leave nothing of it. What it said is printed: the report of a failed test shows it."""
        self.kill()
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        for name, stream in self._streams.items():
            stream.close(LIMIT)
            if stream.text:
                print(f"--- {name} of {self.command}\n{stream.text[-4000:]}")

    def __enter__(self) -> "Process":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()


def _is_there(pid: int) -> bool:
    """Whether there is a process of this number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def starting(
    make: Callable[..., Any] = Process,
) -> Iterator[Callable[..., Any]]:
    """The body of a fixture: makes things that have `close`, which is called in the end, in
    reverse order."""
    with contextlib.ExitStack() as made:

        def start(*args: Any, **rest: Any) -> Any:
            one = make(*args, **rest)
            made.callback(one.close)
            return one

        yield start
