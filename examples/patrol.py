"""A game in thirty lines: one guard walks to and fro, and a check catches it leaving its post."""

from dataclasses import dataclass

from playhead.handlers.field import FieldHandler
from playhead.handlers.registry import HandlerRegistry
from playhead.playback.command import Step
from playhead.recorder.world import World
from playhead.session import Session


@dataclass
class Guard:
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    speed: float = 2.0
    state: str = "patrol"


class Game(World):
    """The adapter is the game itself: three answers are all that playhead needs."""

    def __init__(self) -> None:
        self.guard = Guard()
        self.seconds = 0.0

    def objects(self) -> list[tuple[int, str, Guard]]:
        return [(1, "guard", self.guard)]

    def time(self) -> float:
        return self.seconds

    def find(self, object_id: int) -> Guard | None:
        return self.guard if object_id == 1 else None

    def step(self, dt: float, session: Session) -> None:
        self.seconds += dt
        x = self.guard.position[0] + self.guard.speed * dt
        self.guard.position = (x, 0.0, 0.0)
        if x > 5.0 and self.guard.state == "patrol":
            session.trace.state(1, "guard", "patrol", "wander", won="bored", values={"x": x})
            self.guard.state = "wander"
        session.draw.line((0, 0, 0), self.guard.position, object=1, channel="ai")
        session.check(x <= 6.0, "a guard stays at its post", focus=1)


def main() -> list[str]:
    """Play until the check fails, step back ten frames, resume; returns what was seen."""
    handlers = HandlerRegistry()
    handlers.register("guard", FieldHandler(Guard()))
    game, seen = Game(), []
    with Session(game, memory="1 MiB", handlers=handlers) as session:
        while session.live:
            game.step(1 / 60, session)
            session.update(1 / 60)
        seen.append(f"{session.violations[0].message}: x = {game.guard.position[0]:.2f}")
        session.apply(Step(-40))
        seen.append(f"40 frames before: x = {game.guard.position[0]:.2f}, {game.guard.state}")
        newest = session.source.transitions(session.violations[0].frame, 1, "guard", 1)[0]
        seen.append(f"{newest.trace.source} → {newest.trace.target} because {newest.trace.won}")
        session.resume()
        seen.append(f"resumed: x = {game.guard.position[0]:.2f}")
    return seen


if __name__ == "__main__":
    print("\n".join(main()))
