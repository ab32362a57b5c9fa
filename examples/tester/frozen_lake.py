"""An environment of Gymnasium: the stick is its action, and chance decides where the agent starts.

    playhead demo-record frozen_lake.py:FrozenLake lake.csv --headless --seed 0
    playhead replay frozen_lake.py:FrozenLake lake.csv --seeds 1..10

No player could bring the agent to where the demo's began: for that there is a debug function.
"""

from collections import deque
from typing import Any

import gymnasium

import playhead as ph

SIZE, FRAMES = 8, 8  # cells; steps of this game for one of the environment
LEFT, DOWN, RIGHT, UP = range(4)
MOVES = {LEFT: (-1, 0), DOWN: (0, -1), RIGHT: (1, 0), UP: (0, 1)}


class Agent:
    x = y = 0.0
    start = 0.0


class FrozenLake(ph.PlayableGame):
    columns = {"start": float}
    settings = """
moving: {interval: 1, arrival: 0.3, exact: 0.1}  # each cell counts: beside it may be a hole
debug:
  - {call: start, on: start, column: start}
"""

    def __init__(self, seed: int = 0) -> None:
        made = gymnasium.make("FrozenLake-v1", map_name="8x8", is_slippery=False)
        self.env: Any = made.unwrapped
        self.env.reset(seed=seed)
        self.player, self.wait, self.over, self.reward = Agent(), 0, False, 0.0
        self.start(float(seed % 5))

    def start(self, cell: float) -> None:
        """Put the agent into a cell of the first row: the debug function."""
        self.env.s = int(cell)
        self.player.start = cell
        self.place()

    def place(self) -> None:
        row, column = divmod(int(self.env.s), SIZE)
        self.player.x, self.player.y = float(column), float(-row)

    def objects(self) -> dict[str, object]:
        return {"agent": self.player}

    def step(self, pad: ph.Pad) -> None:
        self.wait = max(0, self.wait - 1)
        x, y = pad.left
        if self.wait or self.over or max(abs(x), abs(y)) < 0.3:
            return
        self.wait = FRAMES
        sideways, along = RIGHT if x > 0 else LEFT, UP if y > 0 else DOWN
        _, self.reward, self.over, *_ = self.env.step(sideways if abs(x) > abs(y) else along)
        self.place()

    def observe(self) -> ph.Observation:
        return ph.Observation(
            (self.player.x, self.player.y, 0.0), level="lake",
            dead=self.over and self.reward == 0, finished=self.reward > 0,
            extras={"start": self.player.start},
        )  # fmt: skip

    def debug_functions(self) -> dict[str, Any]:
        return {"start": self.start}

    def person(self) -> ph.Pad:
        """A scripted person takes the shortest way that leads into no hole."""
        ways: deque[tuple[int, list[int]]] = deque([(int(self.env.s), [])])
        seen = set()
        while ways:
            cell, way = ways.popleft()
            letter = self.env.desc[divmod(cell, SIZE)]
            if letter == b"G" and way:
                x, y = MOVES[way[0]]
                return ph.Pad((float(x), float(y)))
            if cell in seen or letter == b"H":
                continue
            seen.add(cell)
            for action, ((_, after, _, _),) in self.env.P[cell].items():
                ways.append((int(after), [*way, action]))
        return ph.NEUTRAL
