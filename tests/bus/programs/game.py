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

from playhead.bus.settings import BusSettings
from playhead.handlers.field import FieldHandler
from playhead.handlers.registry import HandlerRegistry
from playhead.recorder.world import World
from playhead.session import Session


@dataclass
class Ball:
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    speed: float = 1.0


class Yard(World):
    def __init__(self, objects: int) -> None:
        self.balls = {number: Ball() for number in range(1, objects + 1)}
        self.seconds = 0.0

    def step(self, dt: float) -> None:
        self.seconds += dt
        for ball in self.balls.values():
            x, y, z = ball.position
            ball.position = (x + ball.speed * dt, y, z)

    def objects(self):
        return [(number, "ball", ball) for number, ball in self.balls.items()]

    def time(self) -> float:
        return self.seconds

    def find(self, object_id: int):
        return self.balls.get(object_id)


def main(endpoint: str, rate: float, objects: int) -> None:
    handlers = HandlerRegistry()
    handlers.register("ball", FieldHandler(Ball()))
    world = Yard(objects)
    session = Session(world, "32 MiB", handlers=handlers, bus=BusSettings(endpoint))
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
            world.step(1 / rate)
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
