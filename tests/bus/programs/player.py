"""Plays a game from a process of its own: `player.py ENDPOINT`.

The game publishes `seen`, a dict with a number `n` that counts up. For each that is heard it has
the game do `act` with that number and the frame that it belongs to; the game says when to end.
"""

import sys

from playhead.bus.client.client import Client
from playhead.bus.messages.events import ValuePublished
from playhead.bus.messages.message_types import Event


class Player:
    def __init__(self, client: Client) -> None:
        self.client = client
        self.going = True

    def see(self, event: Event) -> None:
        assert isinstance(event.event, ValuePublished)
        seen = event.event
        act = {"n": seen.body["n"], "frame": seen.frame, "time": seen.time, "all": seen.body}
        if self.going:
            self.going = self.client.call("act", act) == "go on"


with Client(sys.argv[1], name="player", timeout=20) as client:
    player = Player(client)
    client.on("published", player.see)
    print("ready", flush=True)
    while player.going:
        client.dispatch(1.0)
print("ended", flush=True)
