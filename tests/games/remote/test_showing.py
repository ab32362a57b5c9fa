"""A game at the other end of a WebSocket, paused, shown its past, and given back unharmed."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from playhead.bus.gateway import gateway

from ...support.waits import until
from .game import GUARD, LIMIT, ROCK, Answer, Game, Peer, Served, served
from .test_recording import again, wait_for


def recorded(game: Game, steps: int = 5) -> None:
    """A guard that lives always, a rock until the third frame, another guard from there on."""
    for step in range(1, steps + 1):
        objects = {7: (GUARD, float(step))}
        if step <= 3:
            objects[8] = (ROCK, 10.0 * step)
        if step >= 3:
            objects[9] = (GUARD, 100.0 * step)
        game.frame(objects)
    wait_for(game, steps)


def rock(step: int) -> Answer:
    """Its stand-in in that frame."""
    at = {"position": [10.0 * step, 0.0, 0.0], "angles": [0.0, 0.0, 0.0]}
    return {"id": 8, "type": "rock", "visible": True, **at}


def moved(director: Peer, sequence: int) -> Answer:
    """What the playhead says after that command."""
    answer = director.answer(sequence)
    assert answer["is"] == "state", answer
    return dict(answer["state"])


def go(director: Peer, **command: Any) -> Answer:
    return moved(director, director.post(**command))


def entered(game: Game, director: Peer, **command: Any) -> Answer:
    """Enter playback by a command."""
    sequence = director.post(**command)
    game.pauses()
    return moved(director, sequence)


def test_the_game_pauses_looks_like_each_frame_and_runs_on(game: Game, director: Peer) -> None:
    recorded(game)
    assert entered(game, director, do="seek_frame", frame=2)["frame"] == 2
    # It is paused at the newest frame, and from there led back.
    show = game.shows(2)
    assert show.objects == {7: 2.0}
    assert show.order["hide"] == [9]
    assert show.order["stand_ins"] == [rock(2)]
    assert show.order["time"] == pytest.approx(0.2)

    go(director, do="seek_frame", frame=3)
    show = game.shows(3)
    assert show.objects == {7: 3.0, 9: 300.0}
    assert show.order["unhide"] == [9]
    assert show.order["stand_ins"] == [rock(3)]

    go(director, do="step", frames=1)
    show = game.shows(4)
    assert show.objects == {7: 4.0, 9: 400.0}
    assert show.order["remove_stand_ins"] == [8]
    assert "stand_ins" not in show.order

    go(director, do="seek_frame", frame=1)
    game.shows(1)
    assert go(director, do="leave")["mode"] == "live"
    last = game.resumes()
    assert last.frame == 5
    assert last.objects == {7: 5.0, 9: 500.0}
    assert last.order["unhide"] == [9]
    assert last.order["remove_stand_ins"] == [8]
    game.frame({7: (GUARD, 6), 9: (GUARD, 600)})
    wait_for(game, 6)


def test_frames_that_are_under_way_when_it_is_told_to_pause_are_recorded(
    game: Game, director: Peer
) -> None:
    recorded(game)
    asked = director.post(do="seek_frame", frame=1)
    assert game.order() == {"order": "pause"}
    for step in (6, 7, 8):
        game.frame({7: (GUARD, step)})
    game.say(do="paused")
    shown = moved(director, asked)
    assert shown["span"][1] == 8
    show = game.shows(1)
    assert show.objects == {7: 1.0}
    go(director, do="leave")
    last = game.resumes()
    assert (last.frame, last.objects) == (8, {7: 8.0})
    # What it was shown never was in it: only what was alive in the newest frame is touched.
    assert "unhide" not in last.order


def test_every_way_to_a_frame_shows_the_same(game: Game, director: Peer) -> None:
    recorded(game, 9)
    entered(game, director, do="enter")
    looks = Looks()
    seen: dict[int, Any] = {}
    for frame in (5, 1, 9, 3, 2, 3, 8, 1, 5, 9, 4, 3):
        go(director, do="seek_frame", frame=frame)
        while looks.obey(game.show()) != frame:
            pass
        assert seen.setdefault(frame, looks.now) == looks.now, frame
    assert seen[1] == ({7: 1.0}, {9}, {8: 10.0})
    assert seen[3] == ({7: 3.0, 9: 300.0}, set(), {8: 30.0})
    assert seen[9] == ({7: 9.0, 9: 900.0}, set(), {})


class Looks:
    """What a game looks like that obeys its orders."""

    def __init__(self) -> None:
        self.objects: dict[int, float] = {}
        self.hidden: set[int] = set()
        self.stand_ins: dict[int, float] = {}

    def obey(self, show: Any) -> int:
        order = show.order
        self.hidden -= set(order.get("unhide", ()))
        assert not self.hidden & show.objects.keys(), "a hidden object was put somewhere"
        self.objects |= show.objects
        self.hidden |= set(order.get("hide", ()))
        self.stand_ins |= {row["id"]: row["position"][0] for row in order.get("stand_ins", ())}
        for id in order.get("remove_stand_ins", ()):
            del self.stand_ins[id]
        return int(show.frame)

    @property
    def now(self) -> tuple[dict[int, float], set[int], dict[int, float]]:
        """Who is to be seen, who is hidden, and which stand-ins there are."""
        seen = {id: hp for id, hp in self.objects.items() if id not in self.hidden}
        return seen, set(self.hidden), dict(self.stand_ins)


MANY = dict.fromkeys(range(1, 5001), (GUARD, 1.0))
"""So many objects that few frames of them fit into what is under way."""


@contextlib.contextmanager
def slow_game(serving: Served) -> Iterator[Game]:
    """A game with many objects, for which little is under way that it has not read."""
    at = urlsplit(serving.url)
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
    line.connect((at.hostname, at.port))
    game = Game(serving.url, options={"sock": line, "max_queue": 1})
    try:
        for _ in range(30):
            game.frame(MANY)
        wait_for(game, 30)
        yield game
    finally:
        game.kill()


def test_a_game_that_reads_slowly_is_reported_where_it_is_and_not_where_it_was(
    director: Peer, serving: Served
) -> None:
    with slow_game(serving) as game:
        game.ask(do="subscribe", topics=["span"], time=True)
        entered(game, director, do="enter", time=0.1)
        for frame in range(2, 30):
            go(director, do="seek_frame", frame=frame)
        # Although it hears of the time as well, nothing comes between an order and its image.
        shows = [game.show().frame]
        while shows[-1] != 29:
            shows.append(game.show().frame)
        assert shows == sorted(shows)
        assert len(shows) < 25
        go(director, do="leave")
        assert len(game.resumes().objects) == len(MANY)


@pytest.mark.slow
def test_the_last_orders_are_read_before_the_gateway_closes(
    director: Peer, serving: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateway, "_FLUSH_WITHIN", LIMIT)
    with slow_game(serving) as game:
        entered(game, director, do="enter")
        for frame in range(1, 30):
            go(director, do="seek_frame", frame=frame)
        go(director, do="leave")
        closing = threading.Thread(target=serving.gateway.close)
        closing.start()
        assert len(game.resumes().objects) == len(MANY)
        closing.join()


def test_a_failed_check_stops_the_game_which_is_led_to_the_object(
    game: Game, director: Peer
) -> None:
    recorded(game)
    assert director.ask(do="subscribe", topics=["failed_check"], time=False) == {"is": "done"}
    game.say(do="report_failed_check", message="the guard is stuck", object=9,
             expression="moved > 0", file="guard.gd", line=12)  # fmt: skip
    game.frame({7: (GUARD, 6), 9: (GUARD, 600)})
    game.say(do="paused")
    violation = director.next("event")["event"]["failed_check"]
    assert violation["frame"] == 6
    assert (violation["message"], violation["file"]) == ("the guard is stuck", "guard.gd")
    assert (violation["object"], violation["recorded"]) == (9, True)
    assert game.order() == {"order": "pause"}
    game.say(do="paused")
    while (order := game.next("order")["order"])["order"] == "show":
        pass
    assert order == {"order": "look_at", "object": 9, "position": [600.0, 0.0, 0.0]}
    assert director.ask(do="snapshot")["time"]["mode"] == "paused"
    assert [mark["kind"] for mark in director.ask(do="marks")["marks"]] == ["check"]
    go(director, do="leave")
    game.resumes()
    game.frame({7: (GUARD, 7)})
    wait_for(game, 7)


def test_a_game_that_can_not_be_restored_gets_stand_ins_for_all(
    serving: Served, director: Peer
) -> None:
    with Game(serving.url, can_restore=False) as game:
        recorded(game)
        entered(game, director, do="seek_frame", frame=2)
        show = game.shows(2)
        assert (show.objects, "hide" in show.order) == ({}, False)
        assert sorted(row["id"] for row in show.order["stand_ins"]) == [7, 8]
        go(director, do="leave")
        last = game.resumes()
        assert last.objects == {}
        assert last.order["remove_stand_ins"] == [7, 8]


def test_recorded_frames_play_in_the_game(game: Game, director: Peer) -> None:
    recorded(game, 30)
    entered(game, director, do="enter", time=0.1)
    game.shows(1)
    go(director, do="play", rate=1)
    frames = [game.show().frame]
    while frames[-1] != 30:
        frames.append(game.show().frame)
    assert frames == sorted(frames)
    assert len(frames) > 10


def test_a_command_that_fails_lets_the_game_run_on(game: Game, director: Peer) -> None:
    recorded(game)
    asked = director.post(do="seek_mark", name="nowhere")
    game.pauses()
    assert director.answer(asked)["kind"] == "command"
    assert game.order() == {"order": "resume"}
    game.say(do="resumed")
    game.frame({7: (GUARD, 6)})
    wait_for(game, 6)
    assert entered(game, director, do="enter")["frame"] == 6


def test_what_a_game_says_while_it_is_paused_is_in_its_next_frame(
    game: Game, director: Peer
) -> None:
    recorded(game)
    entered(game, director, do="enter")
    game.shows(5)
    assert game.ask(do="log", line={"text": "while paused"}) == {"is": "done"}
    go(director, do="leave")
    game.resumes()
    game.frame({7: (GUARD, 6)})
    wait_for(game, 6)
    assert [line["text"] for line in director.ask(do="statements", frame=6)["log"]] == [
        "while paused"
    ]


def test_a_game_that_dies_in_playback_leaves_its_past_to_be_scrubbed(
    game: Game, director: Peer
) -> None:
    recorded(game)
    entered(game, director, do="seek_frame", frame=2)
    game.shows(2)
    game.kill()
    assert go(director, do="seek_frame", frame=4)["frame"] == 4
    assert len(director.ask(do="objects", frame=4)["objects"]) == 2
    assert go(director, do="leave")["mode"] == "live"


def test_a_game_that_dies_while_it_is_awaited_does_not_hold_up_the_tool(
    game: Game, director: Peer
) -> None:
    recorded(game)
    asked = director.post(do="seek_frame", frame=2)
    assert game.order() == {"order": "pause"}
    game.kill()
    assert moved(director, asked)["frame"] == 2


def test_a_game_that_comes_back_in_playback_stands_still_and_is_shown_the_frame(
    game: Game, director: Peer, serving: Served
) -> None:
    recorded(game)
    entered(game, director, do="seek_frame", frame=2)
    game.shows(2)
    game.kill()
    with again(serving.url) as game:
        assert game.order() == {"order": "pause"}
        game.frame({7: (GUARD, -1), 8: (ROCK, -2), 11: (GUARD, -3)})
        game.frame({7: (GUARD, -10), 8: (ROCK, -20), 11: (GUARD, -30)})
        game.say(do="paused")
        show = game.shows(2)
        assert show.objects == {7: 2.0, 8: 20.0}
        assert show.order["hide"] == [11]
        assert "stand_ins" not in show.order
        # Where it stands was recorded, in an epoch of its own; everybody else stayed where he was.
        present = director.ask(do="snapshot")
        assert present["time"]["frame"] == 2
        assert present["span"][:2] == [1, 6]
        assert director.ask(do="status")["bus"]["frames_dropped"] == 1
        go(director, do="seek_frame", frame=6)
        assert game.shows(6).objects == {7: -10.0, 8: -20.0, 11: -30.0}
        go(director, do="seek_frame", frame=1)
        game.shows(1)
        go(director, do="leave")
        last = game.resumes()
        assert (last.frame, last.objects) == (6, {7: -10.0, 8: -20.0, 11: -30.0})
        game.frame({7: (GUARD, 0)})
        wait_for(game, 7)
    stamps = director.ask(do="frame_headers", start=5, end=7)["headers"]
    assert [stamp[4] for stamp in stamps] == [0, 1, 1]


def test_a_game_that_comes_back_in_playback_without_a_frame_sees_stand_ins(
    game: Game, director: Peer, serving: Served
) -> None:
    recorded(game)
    entered(game, director, do="seek_frame", frame=2)
    game.kill()
    with again(serving.url) as game:
        game.pauses()
        show = game.shows(2)
        assert sorted(row["id"] for row in show.order["stand_ins"]) == [7, 8]
        go(director, do="leave")
        last = game.resumes()
        assert last.order["remove_stand_ins"] == [7, 8]
        assert last.objects == {}


def test_a_packet_of_another_layout_is_shown_by_a_stand_in(
    game: Game, director: Peer, serving: Served
) -> None:
    recorded(game, 2)
    game.kill()
    with again(serving.url) as game:
        game.ask(do="define_type", number=GUARD, name="guard", fields=[["mana", "<f4", []]])
        game.frame({7: (GUARD, 3), 8: (ROCK, 3)})
        wait_for(game, 3)
        entered(game, director, do="seek_frame", frame=2)
        show = game.shows(2)
        assert show.objects == {8: 20.0}
        assert show.order["hide"] == [7]
        assert [row["id"] for row in show.order["stand_ins"]] == [7]


def test_a_game_that_never_pauses_is_left_alone_and_the_past_shown_elsewhere() -> None:
    with (
        served(patience=0.2) as serving, Game(serving.url) as game, Peer(serving.url) as director
    ):  # fmt: skip
        director.hello()
        recorded(game)
        asked = director.post(do="seek_frame", frame=2)
        assert game.order() == {"order": "pause"}
        assert moved(director, asked)["frame"] == 2
        for step in (6, 7, 8):
            game.frame({7: (GUARD, step)})
        go(director, do="seek_frame", frame=3)
        until(lambda: director.ask(do="status")["bus"]["frames_dropped"] == 2)
        assert director.ask(do="snapshot")["span"][1] == 5
        assert go(director, do="leave")["mode"] == "live"
        assert game.order() == {"order": "resume"}  # and nothing was to be shown before
        game.say(do="resumed")
        game.frame({7: (GUARD, 9)})
        wait_for(game, 7)
        # The newest of those that came meanwhile was not lost.
        for frame, hp in ((6, 8.0), (7, 9.0)):
            rows = director.ask(do="objects", frame=frame)["objects"]
            assert [row["values"] for row in rows] == [{"hp": hp}]
        assert director.ask(do="status")["bus"]["frames_dropped"] == 2
        # Two frames are a gap in time, and the frame behind it says so; it is no long step.
        stamps = director.ask(do="frame_headers", start=5, end=7)["headers"]
        assert [stamp[1] for stamp in stamps] == pytest.approx([0.5, 0.8, 0.9])
        assert [stamp[2] for stamp in stamps] == pytest.approx([0.1, 0.1, 0.1])
        (mark,) = director.ask(do="marks")["marks"]
        assert (mark["kind"], mark["frame"]) == ("loss", 6)
        assert "0.200 s" in mark["note"]
        assert "2 frames" in mark["note"]


def test_what_was_stated_of_dropped_frames_is_dropped_but_for_what_stays_true() -> None:
    with (
        served(patience=0.2) as serving, Game(serving.url) as game, serving.client() as looking
    ):  # fmt: skip
        recorded(game)
        looking.enter()
        for step in range(6, 40):
            game.say(do="log", line={"text": f"step {step}"})
            game.say(do="watch", name="step", value=step)
            game.say(do="mark", name=f"mark {step}")
            game.say(do="fact", object=7, key="step", value=step)
            game.say(do="trace_state", agent=7, trace={
                "machine": "m", "source": str(step - 1), "target": str(step), "won": "time",
            })  # fmt: skip
            game.frame({7: (GUARD, step)})
        game.ask(do="log", line={"text": "of the next frame"})
        looking.leave()
        game.frame({7: (GUARD, 99)})
        wait_for(game, 7)
        statements = looking.statements(6)
        assert [line.text for line in statements.log] == ["step 39"]
        assert [row[2] for row in statements.watches] == [39.0]
        assert [row.state.target for row in statements.traces if row.state] == ["39"]
        assert [line.text for line in looking.statements(7).log] == ["of the next frame"]
        marks = [mark.name for mark in looking.marks()]
        assert marks == [*(f"mark {step}" for step in range(6, 40)), "not recorded"]


def test_a_game_that_pauses_late_is_shown_the_frame_and_given_back_where_it_stood() -> None:
    with (
        served(patience=0.2) as serving, Game(serving.url) as game, Peer(serving.url) as director
    ):  # fmt: skip
        director.hello()
        recorded(game)
        asked = director.post(do="seek_frame", frame=2)
        assert game.order() == {"order": "pause"}
        assert moved(director, asked)["frame"] == 2
        game.frame({7: (GUARD, 6), 9: (GUARD, 600)})
        game.frame({7: (GUARD, 7), 9: (GUARD, 700)})
        game.say(do="paused")
        show = game.shows(2)
        assert show.objects == {7: 2.0}
        assert show.order["hide"] == [9]
        go(director, do="leave")
        last = game.resumes()
        assert (last.frame, last.objects) == (6, {7: 7.0, 9: 700.0})


def test_the_service_ends_by_giving_the_game_back() -> None:
    with served() as serving, Game(serving.url) as game, Peer(serving.url) as director:
        director.hello()
        recorded(game)
        entered(game, director, do="seek_frame", frame=2)
        game.shows(2)
        serving.host.stop()
        assert game.resumes().objects == {7: 5.0, 9: 500.0}


def test_the_second_of_two_games_is_refused_and_the_first_not_disturbed(
    game: Game, serving: Served
) -> None:
    game.frame({7: (GUARD, 1)})
    with Peer(serving.url) as other:
        other.hello()
        refused = other.ask(do="register_game", name="second")
        assert (refused["is"], refused["kind"]) == ("error", "command")
        assert other.ask(do="status")["bus"]["games_refused"] == 1
        assert game.ask(do="register_game", name="me again")["is"] == "error"
        other.socket.send(b"a frame, all the same")
        assert other.closed() == 1003
    game.frame({7: (GUARD, 2)})
    wait_for(game, 2)
