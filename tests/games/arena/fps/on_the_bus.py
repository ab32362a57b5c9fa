"""What a hall is served by: the bus itself, or somebody who keeps what is said."""

import threading
from typing import Any

from playhead.games.arena.fps.match.hall_game import AimGame
from playhead.recorder.statements.instrumentation_interface import NULL_INSTRUMENTATION
from playhead.session import Session


class OnTheBus:
    """Steps until it is left. Arguments are those of the game."""

    def __init__(self, **settings: Any) -> None:
        self._settings = {"seed": 3, **settings}
        self._ended, self._ready = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="the hall")

    def _run(self) -> None:
        with (
            AimGame(**self._settings) as game,
            Session(
                game.world, "16 MiB", handlers=game.handlers, bus="tcp://127.0.0.1:*"
            ) as session,
        ):
            game.attach(session)
            self.game, self.session, self.endpoint = game, session, session.bus.endpoint
            self._ready.set()
            while not self._ended.wait(0.002):
                game.step()
                session.update(game.dt)

    def __enter__(self) -> "OnTheBus":
        self._thread.start()
        assert self._ready.wait(20)
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join(20)


class Hub:
    """A session's side of it, which keeps what it is told."""

    draw = NULL_INSTRUMENTATION.draw

    def __init__(self) -> None:
        self.served: dict[str, Any] = {}
        self.published: list[tuple[str, Any]] = []
        self.facts: list[tuple[int, str, Any]] = []

    def serve(self, name: str, handler: Any) -> None:
        self.served[name] = handler

    def publish(self, name: str, body: Any) -> None:
        self.published.append((name, body))

    def fact(self, object: int, key: str, value: Any) -> None:
        self.facts.append((object, key, value))
