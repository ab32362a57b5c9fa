"""Worlds for tests of the bus."""

from typing import Any

from playhead.recorder.world import World


class EmptyWorld(World):
    """A game without objects, whose clock is the recorder's."""

    def __init__(self) -> None:
        self.now = 0.0

    def objects(self) -> list[tuple[int, str, Any]]:
        return []

    def time(self) -> float:
        self.now = round(self.now + 0.1, 6)
        return self.now

    def find(self, object_id: int) -> None:
        return None
