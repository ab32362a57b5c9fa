"""A session that is given something else than a world says so, and what takes that."""

import re
from typing import Any

import pytest

import playhead as ph
from playhead.errors import RecordingError

from ..support.fake_world import FakeWorld


class Game:
    """A game of somebody who has no adapter."""

    conventions = ph.Conventions()

    def objects(self) -> list[Any]:
        return []


TAKEN_FOR_WORLDS = [Game(), Game().objects, [Game()], {"game": Game()}, None, Game, 3]


@pytest.mark.parametrize("thing", TAKEN_FOR_WORLDS, ids=lambda thing: type(thing).__name__)
def test_what_is_no_world_is_named_with_what_takes_it(thing: Any) -> None:
    with pytest.raises(RecordingError, match=r"is no World: .*ph\.World") as raised:
        ph.Session(thing)
    assert f"{thing!r:.80}" in str(raised.value)
    assert "ph.record takes functions, lists and objects" in str(raised.value)


def test_the_class_of_a_world_is_no_world() -> None:
    result = re.escape("FakeWorld is a class: give an instance of it, as in FakeWorld()")
    with pytest.raises(RecordingError, match=f"{result}; ph.record takes functions"):
        ph.Session(FakeWorld)  # type: ignore[arg-type]
