"""A game in a process of its own: `python other_game.py pause|run`, told what to do on its input.

It says its address, plays to shortly before its failing check, and waits for a line.
"""

import sys
import threading

from playhead.bus.server.bus_settings import BusSettings
from playhead.recorder.checks.check_policy import UNATTENDED, CheckPolicy
from playhead.session import Session
from tests.viewer import yard


def main() -> None:
    policy = CheckPolicy() if sys.argv[1] == "pause" else UNATTENDED
    world, go, ended = yard.make_yard(), threading.Event(), threading.Event()

    def listen() -> None:
        sys.stdin.readline()
        go.set()
        sys.stdin.read()
        ended.set()

    threading.Thread(target=listen, daemon=True).start()
    with Session(
        world, "1 MiB", handlers=yard.handlers(), on_check=policy,
        bus=BusSettings("tcp://127.0.0.1:*", patience=2.0),
    ) as session:  # fmt: skip
        assert session.bus is not None
        print(session.bus.endpoint, flush=True)
        while not ended.wait(yard.DT / 2):
            span = session.source.span
            near = span is not None and span.newest >= yard.FAILS - 10
            if not session.live:
                session.update(yard.DT)
            elif not near or go.is_set():
                yard.record(session, world, 1)
            else:
                session.obey()


if __name__ == "__main__":
    main()
