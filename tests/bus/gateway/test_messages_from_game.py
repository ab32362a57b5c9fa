"""The game's line: what waits on it, and how much of it."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.bus.gateway import messages_from_game as game_link
from playhead.bus.gateway.messages_from_game import (
    MOST_BYTES,
    MOST_ITEMS,
    GameConnected,
    GameDisconnected,
    GameFrame,
    GameMessage,
    GameQueue,
)
from playhead.bus.messages.gateway_messages import RegisterGame
from playhead.bus.messages.message_types import Order, Request, ResponseBody
from playhead.recorder.statements.statement_messages import WatchedValue


class SilentGame:
    """A game's end of the line that only counts."""

    unsent = 0

    def __init__(self) -> None:
        self.read_on_called = 0

    def order(self, order: Order, image: bytes | None = None) -> None: ...

    def answer(self, sequence: int, result: ResponseBody) -> None: ...

    def read_on(self) -> None:
        self.read_on_called += 1


def attached(link: GameQueue) -> SilentGame:
    game = SilentGame()
    assert link.attach(GameConnected(game, RegisterGame("g"), 1, "g#1"))
    return game


def game_message(number: int, size: int = 10) -> GameMessage:
    return GameMessage(Request(origin="g#1", sequence=number, body=WatchedValue("w", number)), size)


def test_items_come_out_in_the_order_in_which_they_went_in() -> None:
    rung: list[int] = []
    link = GameQueue(lambda: rung.append(1))
    game = attached(link)
    items = [
        game_message(1),
        GameFrame(b"one"),
        game_message(2),
        game_message(3),
        GameFrame(b"two"),
    ]
    for item in items:
        assert link.put(item)
    link.detach(game)
    first = link.take()
    assert isinstance(first, GameConnected)
    assert [link.take() for _ in items] == items
    assert link.take() == GameDisconnected()
    assert link.take() is None
    assert len(rung) == 7


def test_the_second_game_is_refused_until_the_first_is_gone() -> None:
    link = GameQueue(lambda: None)
    first, second = attached(link), SilentGame()
    assert not link.attach(GameConnected(second, RegisterGame("h"), 1, "h#2"))
    link.detach(second)  # who never was the game can't end it
    assert not link.attach(GameConnected(second, RegisterGame("h"), 1, "h#2"))
    link.detach(first)
    assert link.attach(GameConnected(second, RegisterGame("h"), 1, "h#2"))


@pytest.mark.parametrize("size", [1, MOST_BYTES // 10, MOST_BYTES, 2 * MOST_BYTES])
def test_a_full_line_is_read_on_when_half_of_it_is_taken(size: int) -> None:
    link = GameQueue(lambda: None)
    game = attached(link)
    put = 1
    while link.put(game_message(put, size)):
        put += 1
    assert put == min(MOST_ITEMS - 1, -(-MOST_BYTES // size))
    taken = 0
    while not game.read_on_called:
        taken += link.take() is not None
    assert taken - 1 >= put // 2  # the first was the game itself
    while link.take() is not None:
        pass
    assert game.read_on_called == 1


@given(st.lists(st.integers(0, 400), max_size=200))
def test_it_never_holds_more_than_its_bounds_and_one_item(sizes: list[int]) -> None:
    link = GameQueue(lambda: None)
    game = attached(link)
    most_items, most_bytes = game_link.MOST_ITEMS, game_link.MOST_BYTES
    game_link.MOST_ITEMS, game_link.MOST_BYTES = 8, 1000
    try:
        held: list[int] = []
        reading = True
        link.take()
        for size in sizes:
            if reading:
                reading = link.put(GameFrame(bytes(size)))
                held.append(size)
                assert len(held) <= 8
                assert sum(held[:-1]) < 1000
            else:
                before = game.read_on_called
                item = link.take()
                assert isinstance(item, GameFrame)
                assert len(item.image) == held.pop(0)
                reading = game.read_on_called > before
        assert link.waiting == len(held)
    finally:
        game_link.MOST_ITEMS, game_link.MOST_BYTES = most_items, most_bytes


def test_two_threads_lose_nothing() -> None:
    ready = threading.Semaphore(0)
    link = GameQueue(ready.release)
    attached(link)
    again = threading.Event()
    total = 20_000

    class Waking(SilentGame):
        def read_on(self) -> None:
            again.set()

    link._game = Waking()

    def send() -> None:
        for number in range(total):
            again.clear()
            if not link.put(game_message(number)):
                assert again.wait(20)

    sender = threading.Thread(target=send)
    sender.start()
    taken = []
    while len(taken) < total:
        assert ready.acquire(timeout=20)
        item = link.take()
        if isinstance(item, GameMessage):
            taken.append(item.request.sequence)
    sender.join()
    assert taken == list(range(total))
