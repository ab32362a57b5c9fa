"""A game at the other end of a WebSocket that is paused and runs for a number of steps."""

from collections.abc import Iterator

import pytest

from .game import GUARD, Game, Peer, Served
from .test_recording import wait_for
from .test_showing import entered, go, moved


@pytest.fixture
def game(serving: Served) -> Iterator[Game]:
    with Game(serving.url, can_advance=True) as game:
        for step in range(1, 6):
            game.frame({7: (GUARD, float(step))})
        wait_for(game, 5)
        yield game


def advances(game: Game) -> int:
    """Be shown how everything was, and be told to advance: by how many steps."""
    while (order := game.order())["order"] == "show":
        if order["image"]:
            game.bytes()
    assert order["order"] == "advance", order
    game.say(do="resumed")
    return int(order["steps"])


def step(game: Game, *steps: int) -> None:
    for number in steps:
        game.frame({7: (GUARD, float(number))})


def test_it_runs_so_many_steps_and_playback_is_at_the_last(game: Game, director: Peer) -> None:
    entered(game, director, do="enter")
    asked = director.post(do="advance", steps=3)
    assert advances(game) == 3
    step(game, 6, 7, 8)
    game.say(do="paused")  # by itself
    shown = moved(director, asked)
    assert (shown["mode"], shown["frame"], shown["clamped"]) == ("paused", 8, False)
    game.pauses()  # it is told so all the same, and says it again
    again = director.post(do="advance")
    assert advances(game) == 1
    step(game, 9)
    game.say(do="paused")
    assert moved(director, again)["frame"] == 9
    game.pauses()
    assert go(director, do="seek_frame", frame=2)["frame"] == 2
    assert game.shows(2).objects == {7: 2.0}
    director.post(do="leave")
    assert game.resumes().objects == {7: 9.0}


def test_its_word_for_the_pause_before_does_not_end_the_next_advance(
    game: Game, director: Peer
) -> None:
    entered(game, director, do="enter")
    asked = director.post(do="advance")
    assert advances(game) == 1
    step(game, 6)
    game.say(do="paused")
    moved(director, asked)
    again = director.post(do="advance", steps=2)
    assert game.order() == {"order": "pause"}
    while (order := game.order())["order"] == "show":
        if order["image"]:
            game.bytes()
    assert order == {"order": "advance", "steps": 2}
    game.say(do="paused")  # again, as told; it is slow, and the next advance was ordered before
    assert game.ask(do="serve", names=[]) == {"is": "done"}
    assert not [result for result in game.heard if "order" in result]
    game.say(do="resumed")
    step(game, 7, 8)
    game.say(do="paused")
    shown = moved(director, again)
    assert (shown["mode"], shown["frame"], shown["clamped"]) == ("paused", 8, False)


def test_a_game_that_does_not_know_it_refuses_by_name(serving: Served, director: Peer) -> None:
    with Game(serving.url) as game:
        step(game, 1, 2)
        wait_for(game, 2)
        entered(game, director, do="enter")
        answer = director.ask(do="advance", steps=2)
        assert (answer["is"], answer["kind"]) == ("error", "command")
        assert "does not know `advance`" in answer["message"]
        assert not serving.session.live


def test_one_that_stops_before_its_last_step_stands_there(game: Game, director: Peer) -> None:
    entered(game, director, do="enter")
    asked = director.post(do="advance", steps=9)
    assert advances(game) == 9
    step(game, 6, 7)
    game.say(do="report_failed_check", message="no", object=7)
    step(game, 8)
    game.say(do="paused")
    shown = moved(director, asked)
    assert (shown["mode"], shown["frame"], shown["clamped"]) == ("paused", 8, True)


def test_a_pause_of_somebody_else_ends_it(game: Game, director: Peer) -> None:
    entered(game, director, do="enter")
    asked = director.post(do="advance", steps=9)
    assert advances(game) == 9
    step(game, 6, 7)
    paused = director.post(do="pause")
    game.pauses()
    shown = moved(director, asked)
    assert (shown["mode"], shown["clamped"]) == ("paused", True)
    assert moved(director, paused)["frame"] == shown["frame"] == 7


def test_one_that_is_gone_ends_it_too(game: Game, director: Peer) -> None:
    entered(game, director, do="enter")
    asked = director.post(do="advance", steps=9)
    assert advances(game) == 9
    step(game, 6)
    game.kill()
    shown = moved(director, asked)
    assert (shown["mode"], shown["frame"], shown["clamped"]) == ("paused", 6, True)


def test_leaving_meanwhile_lets_it_run_on(game: Game, director: Peer, serving: Served) -> None:
    entered(game, director, do="enter")
    asked = director.post(do="advance", steps=9)
    assert advances(game) == 9
    step(game, 6)
    left = director.post(do="leave")
    assert moved(director, left)["mode"] == "live"
    assert moved(director, asked)["clamped"]
    assert game.order() == {"order": "resume"}  # or it would stand still after its ninth step
    game.say(do="resumed")
    step(game, *range(7, 20))
    wait_for(game, 19)
    assert serving.session.live
