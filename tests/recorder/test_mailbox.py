"""What threads say waits, bounded, for the thread that finishes frames."""

import gc
import threading
import weakref

from playhead.recorder.mailbox import KEPT, Letter, Mailboxes


def in_a_thread(act):
    thread = threading.Thread(target=act)
    thread.start()
    thread.join(30)


def letters(mail, name, n):
    for i in range(n):
        mail.post(Letter(f"{name} {i}", print))


def test_each_thread_has_its_own_bound_even_if_they_run_one_after_another():
    mail = Mailboxes()
    for name in "abc":
        in_a_thread(lambda name=name: letters(mail, name, KEPT))
    assert mail.dropped == 0
    assert [letter.cause for letter in mail.take()] == [
        f"{name} {i}" for name in "abc" for i in range(KEPT)
    ]


def test_what_is_beyond_the_bound_is_dropped_and_counted_and_the_oldest_stay():
    mail = Mailboxes()
    in_a_thread(lambda: letters(mail, "a", KEPT + 7))
    assert mail.dropped == 7
    assert [letter.cause for letter in mail.take()][-1] == f"a {KEPT - 1}"


def test_a_thread_has_room_again_when_its_letters_were_taken():
    mail, rounds = Mailboxes(), []

    def speak():
        for _ in range(3):
            letters(mail, "a", KEPT)
            rounds.append(len(list(mail.take())))

    in_a_thread(speak)
    assert rounds == [KEPT] * 3
    assert mail.dropped == 0
    assert list(mail.take()) == []


def test_nothing_that_was_taken_is_kept_for_a_thread_that_lives_on():
    class Thing:
        pass

    mail, thing = Mailboxes(), Thing()
    watched = weakref.ref(thing)
    mail.post(Letter("a", lambda thing=thing: thing))
    for letter in mail.take():
        letter.write()
    del thing, letter
    gc.collect()
    assert watched() is None


def test_the_owner_is_the_thread_that_said_so_last():
    mail, seen = Mailboxes(), []
    assert mail.is_owner
    in_a_thread(lambda: seen.append(mail.is_owner))
    in_a_thread(mail.own)
    assert seen == [False]
