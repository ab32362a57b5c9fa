"""The arena under a session, told what to do by lines of JSON: {ask}, {where: sequence}, {end}."""

import json
import sys
import threading
from typing import Any

import msgspec

from playhead.errors import PlayheadError
from playhead.games.arena.yard_game import ArenaGame
from playhead.playback.commands import Command
from playhead.playback.pending_command import Outcome, PendingCommand
from playhead.playback.playback_state import PlaybackState
from playhead.runner.realtime_loop import RealtimeLoop
from playhead.session import Session


class Arena:
    """Its loop is the main thread's; what is typed comes on another."""

    def __init__(self) -> None:
        self.game = ArenaGame(seed=7)
        self.session = Session(
            self.game.world, "64 MiB", handlers=self.game.handlers, bus="tcp://127.0.0.1:*"
        )
        self.ended = threading.Event()

    def run(self) -> None:
        with self.session as session:
            self.game.attach(session)
            loop = RealtimeLoop(session, self.game.dt)
            while not self.ended.is_set():
                loop.wait_for_step()
                self.game.step()
                session.update(self.game.dt)

    def talk(self) -> None:
        bus = self.session.bus
        assert bus is not None
        print(json.dumps({"endpoint": bus.endpoint}), flush=True)
        for line in sys.stdin:
            wanted = json.loads(line)
            result = self.moved(wanted["ask"]) if "ask" in wanted else self.where()
            print(json.dumps(result), flush=True)
        self.ended.set()
        self.moved({"do": "leave"})

    def moved(self, ask: dict[str, Any]) -> dict[str, Any]:
        """Have a command carried out by the session itself, as the game's own keys would."""
        received: dict[str, Any] = {}
        done = threading.Event()

        def answer(outcome: Outcome) -> None:
            if isinstance(outcome, PlaybackState):
                assert self.session.bus is not None
                received.update(
                    state=msgspec.to_builtins(outcome), time=self.session.bus.newest_time()
                )
            else:
                received.update({"is": "error", "message": str(outcome)})
            done.set()

        try:
            self.session.take(PendingCommand(msgspec.convert(ask, Command), "", answer))
        except PlayheadError as error:
            return {"is": "error", "message": str(error)}
        done.wait()
        return received

    def where(self) -> dict[str, Any]:
        """What the game itself shows: where its objects are seen."""
        shown = self.session.playhead.state
        player = self.game.yard.player
        return {
            "frame": shown.frame,
            "mode": shown.mode.value,
            "player": [player.id, *player.view.position],
        }


def main() -> None:
    arena = Arena()
    talking = threading.Thread(target=arena.talk)
    talking.start()
    arena.run()
    talking.join()


if __name__ == "__main__":
    main()
