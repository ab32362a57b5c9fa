"""A browser without a window, steered over its own debugging protocol."""

import contextlib
import json
import shutil
import sys
import time
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import Any

from websockets.sync.client import connect

from ...support.process import Process
from .promises import LIMIT, Report, Run

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
    "--remote-debugging-port=0", "--no-first-run", "--disable-background-networking",
    "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
)  # fmt: skip


LISTENS = r"DevTools listening on (ws://\S+)\s*$"


def found() -> str | None:
    """The browser's program."""
    return shutil.which("chromium") or shutil.which("google-chrome")


class Pages:
    """Serves a folder on loopback; in a process of its own, since browsers keep connections."""

    def __init__(self, folder: Path) -> None:
        self._process = Process(
            sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1",
            "--directory", folder,
        )  # fmt: skip
        self.origin = self._process.find(r"http://[0-9.:]+")[0]

    def close(self) -> None:
        self._process.close()


class Browser:
    """A running browser.

    Args:
        profile: A folder for what it keeps.
    """

    def __init__(self, profile: Path) -> None:
        program = found()
        assert program is not None
        command = (program, *FLAGS, f"--user-data-dir={profile}", "about:blank")
        self._process = Process(*command)
        with contextlib.ExitStack() as ending:
            ending.callback(self._process.close)
            line = connect(
                self._process.find(LISTENS, "stderr")[1], max_size=None, compression=None
            )
            self._line = ending.enter_context(line)
            self._ending = ending.pop_all()
        self._count = 0
        self._sessions: dict[str, deque[dict[str, Any]]] = {}

    def close(self) -> None:
        with self._ending:
            self.call("Browser.close")
            self._process.wait()

    def __enter__(self) -> "Browser":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def call(self, method: str, session: str = "", **parameters: Any) -> dict[str, Any]:
        """Have the browser do something; what came of it."""
        self._count += 1
        asked: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if session:
            asked["sessionId"] = session
        self._line.send(json.dumps(asked))
        end = time.monotonic() + LIMIT
        while (answer := self.told(end)).get("id") != asked["id"]:
            pass
        assert "error" not in answer, f"{method}: {answer['error']}"
        result: dict[str, Any] = answer["result"]
        return result

    def told(self, end: float) -> dict[str, Any]:
        """The next that the browser says; events of pages are kept for them as well."""
        told: dict[str, Any] = json.loads(self._line.recv(max(0.0, end - time.monotonic())))
        if "method" in told and told.get("sessionId") in self._sessions:
            self._sessions[told["sessionId"]].append(told)
        return told

    def open(self, url: str) -> "Page":
        """A page in a window of its own."""
        target = self.call("Target.createTarget", url="about:blank", newWindow=True)["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._sessions[session] = deque()
        page = Page(self, target, session, self._sessions[session])
        page.call("Runtime.enable")
        page.call("Page.enable")
        page.call("Page.navigate", url=url)
        return page


class Page(Run):
    """A game in a page, which says its reports on its console."""

    def __init__(
        self, browser: Browser, target: str, session: str, events: deque[dict[str, Any]]
    ) -> None:
        self._browser, self._target, self._session = browser, target, session
        self._events = events
        self._open = True

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._browser.call(method, self._session, **parameters)

    def run(self, expression: str) -> Any:
        """What an expression gives in the page."""
        result = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def reload(self) -> None:
        self.call("Page.reload")

    def next(self, event: str) -> Report:
        end = time.monotonic() + LIMIT
        while True:
            while self._events:
                result = self._events.popleft()
                assert result["method"] != "Runtime.exceptionThrown", result["params"]
                if result["method"] == "Runtime.consoleAPICalled":
                    report: Report = json.loads(result["params"]["args"][0]["value"])
                    if report["event"] == event:
                        return report
            self._browser.told(end)

    def kill(self) -> None:
        if self._open:
            self._open = False
            self._browser.call("Target.closeTarget", targetId=self._target)
