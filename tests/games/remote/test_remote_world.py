"""When a game at the other end of a line runs, as far as is known here, and when it stands."""

from collections.abc import Iterator

import pytest

from playhead.bus.gateway.messages_from_game import GameConnected
from playhead.bus.messages.gateway_messages import DefineType, PauseGame, RegisterGame, ResumeGame
from playhead.bus.messages.message_types import Order, ResponseBody
from playhead.games.remote.declared_types import RemoteFrame
from playhead.games.remote.remote_world import RemoteWorld
from playhead.playback.playback_state import Mode, PlaybackState
from playhead.recorder.recorder import Recorder

from .game import GUARD, image

PAUSE, RESUME = PauseGame(), ResumeGame()
LIVE, PAUSED = PlaybackState(Mode.LIVE), PlaybackState(Mode.PAUSED)


class ToldGame:
    """A game's end of the line that remembers what it was told."""

    unsent = 0

    def __init__(self) -> None:
        self.orders: list[Order] = []

    def order(self, order: Order, image: bytes | None = None) -> None:
        self.orders.append(order)

    def answer(self, sequence: int, result: ResponseBody) -> None: ...

    def read_on(self) -> None: ...


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    recorder = Recorder("1 MiB")
    yield recorder
    recorder.close()


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def world(clock: Clock) -> RemoteWorld:
    return RemoteWorld(clock, patience=1.0)


@pytest.fixture
def game(world: RemoteWorld, recorder: Recorder) -> ToldGame:
    return came(world, recorder, live=True)


def came(world: RemoteWorld, recorder: Recorder, live: bool) -> ToldGame:
    game = ToldGame()
    world.attach(GameConnected(game, RegisterGame("g"), 0, "g#1"), recorder, live)
    world.declare(DefineType(GUARD, "guard", fields=(("hp", "<f4", ()),)))
    return game


def frame(world: RemoteWorld, hp: float = 1.0) -> RemoteFrame:
    return world.types.read(image({7: (GUARD, hp)}, hp))


def test_without_a_game_there_is_nothing_to_wait_for(world: RemoteWorld) -> None:
    assert world.halt()
    world.pause()
    world.follow(PAUSED)
    world.resume()
    world.follow(LIVE)
    assert list(world.images()) == list(world.objects()) == []
    assert world.find(7) is None


def test_it_is_told_to_pause_once_and_stands_when_it_says_so(
    world: RemoteWorld, game: ToldGame
) -> None:
    assert not world.halt()
    world.take(frame(world))
    assert not world.halt()
    assert game.orders == [PAUSE]
    assert not world.paused(live=True)
    assert world.halt()
    assert game.orders == [PAUSE]


def test_patience_ends(world: RemoteWorld, game: ToldGame, clock: Clock) -> None:
    assert not world.halt()
    assert world.deadline == 1.0
    clock.now = 0.99
    assert not world.halt()
    clock.now = 1.0
    assert world.halt()


def test_a_late_word_of_an_order_that_is_over_counts_for_nothing(
    world: RemoteWorld, game: ToldGame, clock: Clock
) -> None:
    world.halt()
    clock.now = 1.0
    assert world.halt()
    world.pause()  # it does not stand, but nobody waits any longer
    world.resume()
    world.follow(LIVE)
    assert game.orders == [PAUSE, RESUME]
    world.paused(live=True)  # which is the first order's, and it has the second one before it
    assert not world.halt()
    assert game.orders == [PAUSE, RESUME, PAUSE]
    world.resumed()
    assert not world.halt()
    world.paused(live=True)
    assert world.halt()


def test_a_frame_says_that_it_runs_even_if_it_does_not(world: RemoteWorld, game: ToldGame) -> None:
    world.halt()
    world.paused(live=True)
    world.pause()
    world.follow(LIVE)
    world.take(frame(world))
    assert not world.halt()
    world.paused(live=True)
    assert world.halt()
    world.take(frame(world))
    assert not world.halt()


def test_who_stops_by_itself_need_not_be_told(world: RemoteWorld, game: ToldGame) -> None:
    world.paused(live=True)
    assert world.halt()
    world.release()
    assert game.orders == []


def test_who_was_stopped_for_nothing_runs_on(
    world: RemoteWorld, game: ToldGame, clock: Clock
) -> None:
    world.halt()
    world.release()
    assert game.orders == [PAUSE]  # somebody may still want it
    world.paused(live=True)
    world.release()
    assert game.orders == [PAUSE, RESUME]
    world.resumed()
    world.halt()
    clock.now = 5.0
    world.release()
    assert game.orders == [PAUSE, RESUME, PAUSE, RESUME]
    assert world.deadline is None
    world.halt()
    world.resume()  # whoever wanted it has given up
    assert game.orders[-1] == RESUME


def test_in_playback_only_the_newest_frame_is_kept(world: RemoteWorld, recorder: Recorder) -> None:
    game = came(world, recorder, live=False)
    assert game.orders == [PAUSE]
    for hp in (1.0, 2.0, 3.0):
        world.hold_frame(frame(world, hp))
    assert world.dropped == 2
    assert list(world.objects()) == []
    assert world.paused(live=False)
    assert world.unrecorded is not None
    assert world.unrecorded.time == 3.0
    assert list(world.objects()) == [(7, "guard", 7)]
    world.hold_frame(frame(world, 4.0))  # although it said that it stands
    assert world.dropped == 3
    assert world.take_frame_from_playback() is None


def test_what_was_kept_is_there_when_playback_is_over_and_it_never_paused(
    world: RemoteWorld, recorder: Recorder
) -> None:
    came(world, recorder, live=False)
    world.hold_frame(frame(world, 1.0))
    world.follow(LIVE)
    held = world.take_frame_from_playback()
    assert held is not None
    assert held.time == 1.0
    assert world.take_frame_from_playback() is None


def test_with_the_game_everything_of_it_is_gone(world: RemoteWorld, game: ToldGame) -> None:
    world.take(frame(world))
    world.halt()
    world.gone()
    assert world.halt()
    assert list(world.objects()) == []
    assert world.deadline is None
    world.follow(PAUSED)
    assert game.orders == [PAUSE]
