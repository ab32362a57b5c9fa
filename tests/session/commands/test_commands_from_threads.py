"""Commands from other threads: handed over, bounded, and a wake-up for a game that waits."""

import queue
import threading
import time

import pytest

from playhead.errors import CommandError
from playhead.playback.command_queue import WAITING
from playhead.playback.commands import Enter, Leave, Play, SeekFrame, SeekMark, Show, Step

from ...support.waits import LIMIT


def in_a_thread(call, *args):
    thread = threading.Thread(target=call, args=args, daemon=True)
    thread.start()
    return thread


def test_a_command_that_was_sent_is_carried_out_in_the_next_update_and_not_before(play):
    game = play()
    game.run(5)
    in_a_thread(game.session.send, SeekFrame(2)).join(LIMIT)
    assert game.session.live
    game.run(1)
    assert not game.session.live
    assert game.session.playhead.frame == 2
    game.session.send(Step(1))
    assert game.session.playhead.frame == 2
    game.session.update(0.0)
    assert game.session.playhead.frame == 3


def test_commands_are_carried_out_in_the_order_in_which_they_came(play):
    game = play()
    game.run(20)
    for command in (Enter(), SeekFrame(5), Step(3), Step(-1)):
        game.session.send(command)
    game.run(1)
    assert game.session.playhead.frame == 7


def test_commands_of_many_threads_all_arrive(play):
    game = play()
    game.run(200)
    game.session.apply(SeekFrame(1), now=True)

    def send_steps():
        for _ in range(20):
            game.session.send(Step(1))

    for thread in [in_a_thread(send_steps) for _ in range(8)]:
        thread.join(LIMIT)
    game.session.update(0.0)
    assert game.session.playhead.frame == 161


def test_more_commands_than_may_wait_are_refused_and_the_others_kept(play):
    game = play()
    game.run(2)
    refused = []

    def send_many():
        for _ in range(WAITING):
            try:
                game.session.send(Show("ai", False))
            except CommandError as error:
                refused.append(str(error))

    for thread in [in_a_thread(send_many) for _ in range(2)]:
        thread.join(LIMIT)
    assert len(refused) == WAITING
    assert str(WAITING) in refused[0]
    game.run(1)
    assert game.session.playhead.state.hidden == {"ai"}
    game.session.send(Enter())
    game.run(1)
    assert not game.session.live


def test_nonsense_is_refused_where_it_is_sent(play):
    game = play()
    game.run(1)
    for nonsense in (Step(0), Play(float("nan")), "enter", None):
        with pytest.raises(CommandError):
            game.session.send(nonsense)
    game.run(1)
    assert game.session.live


def test_a_command_that_can_not_be_carried_out_is_counted_and_the_game_lives(play):
    game = play()
    game.run(3)
    game.session.send(SeekMark("no such mark"))
    game.run(1)
    assert game.session.live
    assert game.session.status.calls_refused == {"command": 1}
    assert "no such mark" in game.session.status.newest_fault


def test_a_live_game_does_not_wait(play):
    game = play()
    game.run(1)
    assert game.session.wait() is True


def test_a_paused_game_waits_until_a_command_comes_and_carries_it_out(play):
    game = play()
    game.run(10)
    game.session.apply(Enter(), now=True)
    woken = queue.Queue()

    def wait_for_orders():
        woken.put((game.session.wait(LIMIT), game.session.playhead.frame))

    waiting = in_a_thread(wait_for_orders)
    with pytest.raises(queue.Empty):
        woken.get(timeout=0.05)
    began = time.monotonic()
    game.session.send(Step(-3))
    assert woken.get(timeout=LIMIT) == (True, 7)
    assert time.monotonic() - began < LIMIT / 4
    waiting.join(LIMIT)


def test_the_loop_of_a_paused_game_can_sleep_in_wait_until_it_is_live_again(play):
    game = play()
    game.run(5)
    game.session.apply(Enter(), now=True)
    frames = queue.Queue()
    steps_seen = threading.Event()

    def person():
        for command in (Step(-1), Step(-1)):
            game.session.send(command)
        steps_seen.wait(LIMIT)
        game.session.send(Leave())

    thread = in_a_thread(person)
    while not game.session.live:
        assert game.session.wait(LIMIT)
        frames.put(game.session.playhead.frame)
        if game.session.playhead.frame == 3:
            steps_seen.set()
    thread.join(LIMIT)
    assert 3 in frames.queue
    game.run(1)
    assert game.newest == 6


def test_a_wait_that_nobody_ends_times_out(play):
    game = play()
    game.run(1)
    game.session.apply(Enter(), now=True)
    assert game.session.wait(0.01) is False
    assert game.session.wait(0) is False
    assert not game.session.live


def test_one_wait_carries_out_all_that_waits(play):
    game = play()
    game.run(10)
    game.session.apply(Enter(), now=True)
    for _ in range(4):
        game.session.send(Step(-1))
    assert game.session.wait(0)
    assert game.session.playhead.frame == 6
    assert game.session.wait(0) is False


def test_what_worker_threads_say_in_a_step_is_in_its_frame(play):
    game = play()
    game.run(3)

    def work(number):
        for n in range(10):
            game.session.draw.line((0, 0, 0), (n, 0, 0), object=number)
            game.session.watch(f"n{n}", number, object=number)
        game.session.log(f"thread {number}", object=number)

    def think_in_threads():
        for thread in [in_a_thread(work, number) for number in (1, 2, 3)]:
            thread.join(LIMIT)

    game.court.during = think_in_threads
    game.run(1)
    source = game.session.source
    assert len(source.drawn(4)) == 30
    assert len(source.watches(4)) == 30
    assert sorted(line.text for line in source.logs(4)) == ["thread 1", "thread 2", "thread 3"]
    game.court.during = lambda: None
    game.run(1)
    assert source.drawn(5) == []
