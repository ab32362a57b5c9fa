"""A connection of the viewer that sets hooks and edits the paused game, on a thread of its own."""

import select
import threading
from collections import deque
from collections.abc import Callable
from typing import NamedTuple, Protocol

from ...bus.client.client import Client
from ...bus.messages.events import HookActed, HooksChanged
from ...bus.messages.message_types import Event
from ...bus.messages.requests import GetHooks
from ...bus.messages.responses import HookList
from ...bus.server.thread_waker import ThreadWaker
from ...errors import CommandError, PlayheadError
from ...hooks.hook_definition import HookHit
from ...recording.open_file import open as open_recording
from ...recording.recording import Recording
from .open_target import ViewTarget
from .panel_game_client import CALL_TIMEOUT, IDLE_PAUSE

REFRESH = 0.5
"""Seconds between two looks at how often hooks have acted."""


class Asked(Protocol):
    """What is done with a client, or asked of a recording; returns the message about it."""

    def __call__(self, client: Client | None, recording: Recording) -> str: ...


class HookUpdate(NamedTuple):
    """What has come since the last look."""

    hooks: HookList | None
    """All hooks and edits, if they have changed."""
    hits: tuple[HookHit, ...]
    texts: tuple[str, ...]
    """What came of what was asked, and why something failed."""


class HookConnection:
    """Asks one thing after another; begins when something is asked, or when `watch` is called.

    Args:
        target: What is viewed: a game on the bus, or a file, of which only the past can be asked.
        on_update: Called from the thread when there is something to `take`.
    """

    def __init__(self, target: ViewTarget, on_update: Callable[[], object]) -> None:
        self._target, self._on_update = target, on_update
        self.is_live = "://" in target.location
        """Whether it is a game on the bus."""
        self._lock = threading.Lock()
        self._asked: deque[Asked] = deque()
        self._hooks: HookList | None = None
        self._known: HookList | None = None
        self._hits: list[HookHit] = []
        self._texts: list[str] = []
        self._client: Client | None = None
        self._recording: Recording | None = None
        self._closed = threading.Event()
        self._wake: ThreadWaker | None = None
        """There from the first time that something is asked."""
        self._thread = threading.Thread(target=self._run, name="playhead viewer hooks", daemon=True)

    # --- for the window's thread ----------------------------------------------------------------

    def watch(self) -> None:
        """Follow the hooks of a running game from now on."""
        if self.is_live and not self._closed.is_set():
            self._start()

    def ask(self, what: Asked) -> None:
        """Have something done, after what waits."""
        if self._closed.is_set():
            return
        with self._lock:
            self._asked.append(what)
        self._start().ring()

    def _start(self) -> ThreadWaker:
        if self._wake is None:
            self._wake = ThreadWaker()
            self._thread.start()
        return self._wake

    def take(self) -> HookUpdate:
        """What has come since the last call."""
        with self._lock:
            taken = HookUpdate(self._hooks, tuple(self._hits), tuple(self._texts))
            self._hooks, self._hits, self._texts = None, [], []
        return taken

    def close(self) -> None:
        """End the thread, after what is being asked; the viewer's hooks end with it."""
        self._closed.set()
        wake, self._wake = self._wake, None
        if wake is not None:
            wake.ring()
            self._thread.join()
            wake.close()

    # --- the thread -----------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while not self._closed.is_set():
                if not self._connected():
                    self._sleep(IDLE_PAUSE)
                    continue
                what = self._next()
                if what is not None:
                    self._do(what)
                elif self._client is None:
                    self._sleep(None)
                else:
                    self._sleep(REFRESH)
                    self._follow(self._client)
        finally:
            if self._client is not None:
                self._client.close()
            elif self._recording is not None:
                self._recording.close()

    def _connected(self) -> bool:
        if self._recording is not None:
            return True
        try:
            if not self.is_live:
                self._recording = open_recording(self._target.location)
                return True
            backend = self._target.open()
            try:
                keys = getattr(backend, "keys", None)
            finally:
                backend.close()
            client = Client(
                self._target.location, name="viewer, hooks", keys=keys, timeout=CALL_TIMEOUT
            )
        except PlayheadError as error:
            with self._lock:
                waits, self._asked = bool(self._asked), deque()
            if waits:
                self._tell(str(error))
            return False
        client.on("hooks", self._changed)
        client.on("hook_acted", self._acted)
        self._client, self._recording = client, client.recording
        self._look(client)
        return True

    def _next(self) -> Asked | None:
        with self._lock:
            return self._asked.popleft() if self._asked else None

    def _do(self, what: Asked) -> None:
        assert self._recording is not None
        try:
            text = what(self._client, self._recording)
        except PlayheadError as error:
            text = str(error)
        if text:
            self._tell(text)
        if self._client is not None:
            self._follow(self._client)

    def _follow(self, client: Client) -> None:
        try:
            client.dispatch()
            self._look(client)
        except PlayheadError:
            pass  # the game is gone for a moment, or for good: the window says so itself

    def _look(self, client: Client) -> None:
        try:
            found = client.asked(GetHooks(), HookList)
        except CommandError:  # a game of an older version has none
            found = HookList([], [])
        self._know(found)

    def _know(self, hooks: HookList) -> None:
        if hooks != self._known:
            self._known = hooks
            with self._lock:
                self._hooks = hooks
            self._notify()

    def _changed(self, event: Event) -> None:
        if isinstance(event.event, HooksChanged):
            self._know(HookList(event.event.hooks, event.event.edits))

    def _acted(self, event: Event) -> None:
        if isinstance(event.event, HookActed):
            with self._lock:
                self._hits.append(event.event.hit)
            self._notify()

    def _tell(self, text: str) -> None:
        with self._lock:
            self._texts.append(text)
        self._notify()

    def _notify(self) -> None:
        if not self._closed.is_set():
            self._on_update()

    def _sleep(self, seconds: float | None) -> None:
        wake = self._wake
        if wake is None:  # it is closed
            return
        handles = [] if self._client is None else self._client.handles
        select.select([wake.fileno(), *handles], [], [], seconds)
        wake.clear()
