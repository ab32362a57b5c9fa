"""A game that the playthrough tester plays: replace this small one by yours, method by method.

playhead demo-record my_game.py:MyGame walk.csv             # play it: W A S D, J is button A
playhead demo-record my_game.py:MyGame walk.csv --terminal  # the same without a window
playhead demo-record my_game.py:MyGame walk.csv --headless  # the scripted person below plays
playhead replay my_game.py:MyGame walk.csv --seeds 1..10
"""

import math
import random

import playhead as ph

SPEED, WIDTH, HEIGHT = 3.0, 12.0, 6.0
LEVER, GATE, GOAL = (3.0, 5.0), 6.0, (11.0, 1.0)


class Body:
    """Whatever your objects are: their numbers, texts and positions are recorded."""

    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = x, y


class MyGame(ph.PlayableGame):
    dt = 1 / 60  # seconds of game time in one step
    columns = {"gate_open": bool, "coins": float}  # what demos have of this game
    outcomes = {"gate_open": "equal", "coins": "equal"}  # what must have come of a demo at its end

    def __init__(self, seed: int = 0) -> None:  # all that is left to chance comes from the seed
        self.player = Body(1.0, 1.0)
        self.coin = Body(4.0 + random.Random(seed).random(), 3.0)
        self.gate_open, self.coins, self.before = False, 0, 0

    def objects(self) -> dict[str, object]:
        """All that is recorded, by name."""
        coin = {} if self.coins else {"coin": self.coin}
        return {"player": self.player, **coin}

    def step(self, pad: ph.Pad) -> None:
        """Play one step: `pad.left` is the stick, `pad.held` the buttons that are down."""
        player, pressed = self.player, pad.held & ~self.before
        self.before = pad.held
        x = player.x + pad.left[0] * SPEED * self.dt
        if self.gate_open or x < GATE or player.x > GATE:
            player.x = min(max(x, 0.0), WIDTH)
        player.y = min(max(player.y + pad.left[1] * SPEED * self.dt, 0.0), HEIGHT)
        if pressed & ph.Button.A and self.away(*LEVER) < 1.0:
            self.gate_open = True
        if not self.coins and self.away(self.coin.x, self.coin.y) < 0.5:
            self.coins = 1
        self.recording.check(player.x <= WIDTH, "the player is in the room", focus=player)

    def observe(self) -> ph.Observation:
        """What a player sees: the agent knows nothing else of the game."""
        coin = ph.ObservedEntity("coin", (self.coin.x, self.coin.y, 0.0))
        return ph.Observation(
            (self.player.x, self.player.y, 0.0), level="room", finished=self.away(*GOAL) < 0.5,
            items=() if self.coins else (coin,),
            extras={"gate_open": self.gate_open, "coins": float(self.coins)},
        )  # fmt: skip

    # The rest may be left out.

    settings = """
pad_replay:
  starts:  # where the demo's pad is replayed as it was: where A has opened the gate
    - {name: lever, pressed: [A], column: gate_open, becomes: true, within: 10}
  verify: [gate_open]
"""

    def person(self) -> ph.Pad:
        """A scripted person, for `demo-record --headless`."""
        if not self.gate_open:
            goal = LEVER
        elif not self.coins:
            goal = self.coin.x, self.coin.y
        else:
            goal = GOAL
        away = max(self.away(*goal), 1e-6)
        if away < 0.3:
            return ph.Pad(held=0 if self.before else ph.Button.A)
        push = min(1.0, away) / away
        return ph.Pad(((goal[0] - self.player.x) * push, (goal[1] - self.player.y) * push))

    def text(self) -> str:
        """The room as text, for `demo-record --terminal`."""
        rows = [["." for _ in range(int(WIDTH) + 1)] for _ in range(int(HEIGHT) + 1)]
        for row in rows:
            row[int(GATE)] = " " if self.gate_open else "|"
        places = {"o": (self.coin.x, self.coin.y), "L": LEVER, "G": GOAL}
        for letter, (x, y) in (*places.items(), ("@", (self.player.x, self.player.y))):
            if letter != "o" or not self.coins:
                rows[round(y)][round(x)] = letter
        return "\n".join("".join(row) for row in reversed(rows))

    def away(self, x: float, y: float) -> float:
        return math.hypot(x - self.player.x, y - self.player.y)
