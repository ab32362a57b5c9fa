"""An agent in its own process: it watches the arena over the bus and records its decisions.

First run `playhead run arena:yard --seconds 600 --bus`, then this. Each decision is stored in the
frame that it is about, though the game has run on meanwhile: scrub there to see its reasons.
"""

import math
import sys

import playhead as ph


class Lookout:
    """Decides which guard the player should beware of: the nearest one."""

    def __init__(self, client: ph.Client) -> None:
        self._client = client
        self._wary_of = "nobody"
        self.decisions = 0

    def look(self, now: ph.PlayheadTime) -> None:
        """Decide about one instant of the running game. In playback, do nothing."""
        if now.mode != "live" or not now.frame:
            return
        try:
            objects = self._client.objects(now.frame)
        except (ph.errors.EvictedError, ph.errors.BusError):
            return  # too late for that frame, or the game has ended
        player = next(one for one in objects if one.type == "player")
        guards = [one for one in objects if one.type == "guard"]
        guards.sort(key=lambda guard: math.dist(guard.position, player.position))
        if guards and guards[0].name != self._wary_of:
            self._decide(now, player, guards)

    def _decide(
        self, now: ph.PlayheadTime, player: ph.ObjectRow, guards: list[ph.ObjectRow]
    ) -> None:
        nearest = guards[0]
        away = [f"{math.dist(guard.position, player.position):.1f} m away" for guard in guards]
        others = zip(guards[1:], away[1:], strict=True)
        self._client.trace.state(
            player.id, "lookout", self._wary_of, nearest.name, won=away[0],
            rejected=[ph.Rejected(guard.name, why) for guard, why in others],
            beliefs=[ph.Belief(nearest.id, nearest.position, now.game_time)], time=now.time,
        )  # fmt: skip
        print(f"{now.time:8.3f} s  beware of {nearest.name}: {away[0]}", flush=True)
        self._wary_of = nearest.name
        self.decisions += 1


def main(endpoint: str = "") -> None:
    """Watch until the game has ended."""
    ended: list[bool] = []
    with ph.Client(endpoint, name="lookout") as client:
        lookout = Lookout(client)
        client.on_time(lookout.look)
        client.on_connection(lambda there: None if there else ended.append(True))
        while not ended:
            client.dispatch(1.0)
    print(f"{lookout.decisions} decisions")


if __name__ == "__main__":
    main(*sys.argv[1:2])
