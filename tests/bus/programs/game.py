"""A game on the bus at a steady rate, in a process of its own, that times its frames.

Says its endpoint. Then, for each line that it is told: `start` begins to count, `report` says the
frame times since then as JSON, `end` closes the session and says `ended`.
"""

import json
import queue
import statistics
import sys
import threading
import time
from dataclasses import dataclass

from playhead.bus.server.bus_settings import BusSettings
from playhead.session import Session
from tests.support.fake_world import FakeWorld, handlers_of


@dataclass
class Ball:
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    speed: float = 1.0


def roll(ball: Ball, dt: float) -> None:
    x, y, z = ball.position
    ball.position = (x + ball.speed * dt, y, z)


def main(endpoint: str, rate: float, objects: int) -> None:
    balls = {number: Ball() for number in range(1, objects + 1)}
    world = FakeWorld(balls, roll, 1 / rate)
    session = Session(world, "32 MiB", handlers=handlers_of(world), bus=BusSettings(endpoint))
    orders: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(
        target=lambda: [orders.put(line.strip()) for line in sys.stdin], daemon=True
    ).start()
    session.serve("echo", lambda body: body)
    seen = [{"id": number, "at": [0.5 * number] * 3} for number in range(objects)]
    print(session.bus.endpoint)
    taken: list[float] = []
    due = time.monotonic()
    while True:
        began = time.perf_counter()
        if session.live:
            world.step()
            session.trace.state(1, "legs", "a", "b", won="w")
        session.update(1 / rate)
        session.publish("seen", seen)
        taken.append(time.perf_counter() - began)
        while not orders.empty():
            order = orders.get()
            if order == "start":
                taken.clear()
            elif order == "report":
                print(json.dumps({
                    "frames": len(taken),
                    "median": statistics.median(taken),
                    "p99": sorted(taken)[int(0.99 * (len(taken) - 1))],
                    "live": session.live,
                }))  # fmt: skip
            elif order == "end":
                session.close()
                print("ended")
                return
        due = max(due + 1 / rate, time.monotonic())
        time.sleep(max(due - time.monotonic(), 0.0))


main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))
