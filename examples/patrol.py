"""A game in thirty lines: a guard wanders off, and a check fails when it leaves its post."""

from dataclasses import dataclass

import playhead as ph


@dataclass
class Guard:
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    speed: float = 2.0
    state: str = "patrol"


class Game(ph.World):
    """The game is its own `World`: playhead needs only objects(), time() and find()."""

    def __init__(self) -> None:
        self.guard = Guard()
        self.seconds = 0.0

    def objects(self) -> list[tuple[int, str, Guard]]:
        return [(1, "guard", self.guard)]

    def time(self) -> float:
        return self.seconds

    def find(self, object_id: int) -> Guard | None:
        return self.guard if object_id == 1 else None

    def step(self, dt: float, session: ph.Session) -> None:
        self.seconds += dt
        guard = self.guard
        x = guard.position[0] + guard.speed * dt
        guard.position = (x, 0.0, 0.0)
        if x > 5.0 and guard.state == "patrol":
            session.trace.state(guard, "guard", "patrol", "wander", won="bored", values={"x": x})
            guard.state = "wander"
        session.draw.line((0, 0, 0), guard.position, object=guard, channel="ai")
        session.check(x <= 6.0, "a guard stays at its post", focus=guard)


def main() -> list[str]:
    """Play until the check fails, step back 40 frames, resume; returns what was seen."""
    game, seen = Game(), []
    with ph.Session(game, "1 MiB", handlers={"guard": ph.FieldHandler(Guard())}) as session:
        while session.live:
            with session.frame(1 / 60):  # one step, recorded at its end
                game.step(1 / 60, session)
        seen.append(f"{session.failed_checks[0].message}: x = {game.guard.position[0]:.2f}")
        session.apply(ph.commands.Step(-40))
        seen.append(f"40 frames before: x = {game.guard.position[0]:.2f}, {game.guard.state}")
        newest = session.source.transitions(session.failed_checks[0].frame, 1, "guard", 1)[0]
        seen.append(f"{newest.trace.source} → {newest.trace.target} because {newest.trace.won}")
        session.leave()
        seen.append(f"resumed: x = {game.guard.position[0]:.2f}")
    return seen


if __name__ == "__main__":
    print("\n".join(main()))
