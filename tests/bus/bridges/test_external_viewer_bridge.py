"""The bridge itself: which instants a viewer gets to see, and what ends it."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from playhead.bus.bridges.external_viewer_bridge import Bridge
from playhead.errors import BusError, EvictedError
from playhead.recorder.packets.trace_types import StateTransition
from playhead.recorder.statements.statement_messages import TransitionStatement

from ...support.waits import LIMIT, until


class Seen:
    """A viewer that remembers what it was shown, and ends the bridge when it has seen enough."""

    def __init__(self) -> None:
        self.pictures: list[Any] = []
        self.marks: list[Any] = []
        self.enough: Callable[[], bool] = lambda: False
        self.at_each: Callable[[], object] = lambda: None
        self.again = False
        self.ticks = 0
        self.bridge: Bridge
        self.wake: Callable[[], object] = lambda: None

    def begin(self, wake: Callable[[], object]) -> None:
        self.wake = wake

    def show(self, picture: Any) -> None:
        self.pictures.append(picture)
        self.at_each()
        self._look()

    def mark(self, mark: Any, entry: Any) -> None:
        self.marks.append((mark.frame, entry.text))
        self._look()

    def tick(self) -> bool:
        self.ticks += 1
        self._look()
        again, self.again = self.again, False
        return again

    def _look(self) -> None:
        if self.enough():
            self.bridge.end()

    @property
    def frames(self) -> list[int]:
        return [picture.now.frame for picture in self.pictures]

    def until(self, enough: Callable[[], bool]) -> None:
        self.enough = enough
        asyncio.run(self.bridge.run(LIMIT))
        assert enough()


@pytest.fixture
def seen(game, tool) -> tuple[Any, Seen]:
    playing = game()
    playing.run(32)
    viewer = Seen()
    viewer.bridge = Bridge(tool(playing), viewer)
    return playing, viewer


def test_every_instant_is_shown_whoever_moves_the_playhead(seen, tool):
    playing, viewer = seen
    other = tool(playing)
    viewer.until(lambda: viewer.frames == [32])
    for frame in (4, 30, 5):
        other.seek(frame=frame)
        viewer.until(lambda frame=frame: viewer.frames[-1] == frame)
    playing.do(playing.session.leave)
    viewer.until(lambda: viewer.pictures[-1].now.mode == "live")
    playing.run(1)
    viewer.until(lambda: viewer.frames[-1] == 33)
    assert viewer.pictures[-1].figures[0].position.tolist() == [1 + 33 / 64, 0, 0]


def test_a_slow_viewer_skips_to_the_newest(seen):
    playing, viewer = seen
    viewer.until(lambda: bool(viewer.pictures))
    viewer.at_each = lambda: playing.run(40) if len(viewer.pictures) < 4 else None
    playing.run(1)
    newest = 33 + 2 * 40
    viewer.until(lambda: viewer.frames[-1] == newest)
    assert len(viewer.pictures) <= 5
    assert viewer.frames == sorted(viewer.frames)


def test_what_came_late_is_shown_at_once_if_its_frame_is_the_one_that_is_shown(seen, tool):
    playing, viewer = seen
    other = tool(playing)
    other.emit(
        TransitionStatement(1, StateTransition("roll", "slow", "fast", "steep"), time=8 / 64)
    )
    other.mark("hill", time=8 / 64)
    other.flush()
    viewer.until(lambda: viewer.frames[-1:] == [32])
    playing.run(1)
    viewer.until(lambda: viewer.marks == [(8, "mark: hill")])
    other.seek(frame=8)
    viewer.until(lambda: viewer.frames[-1] == 8)
    assert [message.text for message in viewer.pictures[-1].decisions] == [
        "roll: slow → fast because steep"
    ]
    assert [message.text for message in viewer.pictures[-1].marks] == ["mark: hill"]


def test_a_viewer_can_ask_to_be_shown_the_instant_again(seen):
    _, viewer = seen
    viewer.until(lambda: viewer.frames == [32])
    viewer.again = True
    viewer.until(lambda: viewer.frames == [32, 32])


def test_a_wake_is_answered_by_a_tick_at_once(seen):
    _, viewer = seen
    viewer.at_each = lambda: [viewer.wake() for _ in range(50)]
    viewer.until(lambda: viewer.ticks >= 50)


def test_all_that_is_recorded_can_be_had_first(seen):
    _, viewer = seen
    pictures = list(viewer.bridge.held_frames())
    assert [picture.now.frame for picture in pictures] == list(range(1, 33))
    assert pictures[7].now.time == 0.125
    assert pictures[7].figures[1].position.tolist() == [2.25, 0, 0]


def test_what_a_viewer_raises_ends_the_bridge(seen):
    _, viewer = seen

    def fail() -> None:
        raise RuntimeError("the window was closed")

    viewer.at_each = fail
    with pytest.raises(RuntimeError, match="the window was closed"):
        asyncio.run(viewer.bridge.run(LIMIT))
    assert len(viewer.pictures) == 1


def test_another_run_of_the_service_is_another_recording(game, tool):
    playing = game()
    playing.run(32)
    viewer = Seen()
    client = tool(playing)
    viewer.bridge = Bridge(client, viewer)
    viewer.until(lambda: viewer.frames == [32])
    endpoint = playing.endpoint
    playing.close()
    until(lambda: not client.connected, client)
    again = game(bus=bus_settings(endpoint))
    again.world.things[7] = again.world.things.pop(1)
    again.run(4)
    viewer.until(lambda: viewer.frames[-1] == 4)
    assert {figure.id for figure in viewer.pictures[-1].figures} == {2, 3, 7}


def bus_settings(endpoint: str) -> Any:
    from playhead.bus.server.bus_settings import BusSettings

    return BusSettings(endpoint, patience=0.2)


def test_before_anything_is_recorded_nothing_is_shown(game, tool):
    playing = game()
    viewer = Seen()
    viewer.bridge = Bridge(tool(playing), viewer)
    viewer.until(lambda: viewer.ticks > 3)
    assert viewer.pictures == []
    playing.run(1)
    viewer.until(lambda: viewer.frames == [1])


@pytest.mark.parametrize("error", [EvictedError("gone"), BusError("lost")])
def test_an_instant_that_can_not_be_had_is_passed_over_and_the_next_one_shown(
    seen, monkeypatch, error
):
    playing, viewer = seen
    at, errors = viewer.bridge.frame_at, [error]

    def frame_at(now):
        if errors:
            raise errors.pop()
        return at(now)

    monkeypatch.setattr(viewer.bridge, "frame_at", frame_at)
    playing.run(1)
    viewer.until(lambda: bool(viewer.frames))
    assert viewer.frames == [33]


def test_frames_that_are_evicted_while_all_are_sent_are_left_out(seen, monkeypatch):
    _, viewer = seen
    at = viewer.bridge.frame_at

    def frame_at(now):
        if now.frame in (1, 3):
            raise EvictedError(f"frame {now.frame} is not held")
        return at(now)

    monkeypatch.setattr(viewer.bridge, "frame_at", frame_at)
    assert [view.now.frame for view in viewer.bridge.held_frames()] == [2, *range(4, 33)]
