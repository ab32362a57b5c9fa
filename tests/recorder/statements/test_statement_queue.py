"""What waits for a frame: in order, bounded by source, and how a step that has not ended waits."""

import gc
import threading
import weakref

from playhead.recorder.checks.failed_check_tracker import FailedCheck
from playhead.recorder.packets.log_lines import LogLine
from playhead.recorder.packets.trace_types import StateTransition, TreeNode
from playhead.recorder.statements.statement_messages import (
    Drawing,
    LogEntry,
    ObjectFact,
    ObjectName,
    Phase,
    SetMark,
    TransitionStatement,
    TreeDefinition,
    WatchedValue,
)
from playhead.recorder.statements.statement_queue import (
    MOST,
    MOST_BYTES,
    StatementQueue,
    StatementSource,
    WaitingStatement,
)

ROOM = 64 << 20


def named(number: int) -> ObjectName:
    return ObjectName(1, str(number))


def stated(queue: StatementQueue) -> list:
    return [entry.statement for entry in queue.take()]


def test_statements_are_taken_in_the_order_in_which_they_came_whoever_stated_them():
    queue = StatementQueue(ROOM)
    for number in range(30):
        assert queue.put(WaitingStatement(named(number), None, StatementSource(number % 2)))
    assert len(queue) == 30
    assert stated(queue) == [named(number) for number in range(30)]
    assert stated(queue) == []


def test_what_is_beyond_the_bound_is_dropped_and_counted_and_the_oldest_stay():
    for source in (StatementSource.THREAD, StatementSource.PEER):
        queue = StatementQueue(ROOM)
        accepted = [
            queue.put(WaitingStatement(named(n), None, source)) for n in range(MOST[source] + 7)
        ]
        assert accepted == [True] * MOST[source] + [False] * 7
        assert queue.dropped == 7
        assert stated(queue)[-1] == named(MOST[source] - 1)


def test_a_flood_of_one_source_leaves_the_others_their_room():
    queue = StatementQueue(ROOM)
    for number in range(MOST[StatementSource.PEER] + 1):
        queue.put(WaitingStatement(named(number), None, StatementSource.PEER))
    assert queue.put(WaitingStatement(named(0), None, StatementSource.THREAD))
    assert queue.add_to_step(named(0), None, 10)


def test_bytes_are_bounded_too_and_there_is_room_again_when_they_were_taken():
    queue = StatementQueue(ROOM)
    large = WaitingStatement(ObjectFact(1, "x", ""), None, StatementSource.PEER, MOST_BYTES // 2)
    assert queue.put(large)
    assert not queue.put(large)
    queue.take()
    assert queue.put(large)


def test_of_many_statements_of_peers_a_frame_takes_so_many_and_the_rest_stays_in_order():
    queue = StatementQueue(ROOM)
    queue.per_frame = 3
    for number in range(8):
        queue.put(WaitingStatement(named(number), None, StatementSource.PEER))
        queue.put(WaitingStatement(named(100 + number), None, StatementSource.THREAD))
    first = stated(queue)
    assert [one for one in first if int(one.name) < 100] == [named(n) for n in range(3)]
    assert [one for one in first if int(one.name) >= 100] == [named(100 + n) for n in range(8)]
    assert stated(queue) == [named(n) for n in (3, 4, 5)]
    assert stated(queue) == [named(n) for n in (6, 7)]


def test_threads_can_put_while_the_game_takes_and_nothing_is_lost():
    queue, taken = StatementQueue(ROOM), []
    threads = [
        threading.Thread(
            target=lambda base=base: [
                queue.put(WaitingStatement(named(base + n), None, StatementSource.THREAD))
                for n in range(500)
            ]
        )
        for base in (0, 1000)
    ]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        taken += stated(queue)
    taken += stated(queue)
    numbers = [int(one.name) for one in taken]
    for base in (0, 1000):
        assert [n for n in numbers if base <= n < base + 1000] == list(range(base, base + 500))


def test_nothing_that_was_taken_is_kept():
    class Thing:
        pass

    queue, thing = StatementQueue(ROOM), Thing()
    watched = weakref.ref(thing)
    queue.put(WaitingStatement(ObjectName(thing, "a"), None, StatementSource.THREAD))
    queue.take()
    del thing
    gc.collect()
    assert watched() is None


def test_a_tree_is_known_from_when_its_definition_waits_until_a_frame_after_it_was_taken():
    queue = StatementQueue(ROOM)
    queue.put(WaitingStatement(TreeDefinition(7, "brain", (TreeNode("root"),)), None))
    assert queue.defines(7, "brain")
    assert not queue.defines(8, "brain")
    queue.take()
    assert queue.defines(7, "brain")
    queue.take()
    assert not queue.defines(7, "brain")


def test_a_definition_that_stays_behind_in_a_flood_is_still_known():
    queue = StatementQueue(ROOM)
    queue.per_frame = 1
    queue.put(WaitingStatement(named(1), None))
    queue.put(WaitingStatement(TreeDefinition(7, "brain", (TreeNode("root"),)), None))
    queue.take()
    queue.take()
    assert queue.defines(7, "brain")


def test_marks_that_wait_can_be_looked_at():
    queue = StatementQueue(ROOM)
    queue.put(WaitingStatement(named(1), None))
    queue.put(WaitingStatement(SetMark("here"), 2.5))
    assert queue.marks() == [(SetMark("here"), 2.5)]


# --- a step that has not ended --------------------------------------------------------------------


def test_what_a_step_states_waits_for_its_end_and_the_checks_that_failed_are_given_back():
    queue, failed = StatementQueue(ROOM), FailedCheck("hp", "hp > 0", 1, "a.gd", 7)
    queue.add_to_step(named(1), 1.5, 10)
    queue.add_to_step(failed, None, 10)
    assert queue.take() == []
    assert queue.end_step() == [failed]
    [entry] = queue.take()
    assert (entry.statement, entry.time) == (named(1), 1.5)


def test_a_step_has_a_bound_and_room_again_after_its_end():
    queue = StatementQueue(ROOM)
    for _ in range(3):
        accepted = [
            queue.add_to_step(named(n), None, 1) for n in range(MOST[StatementSource.STEP] + 2)
        ]
        assert accepted.count(True) == MOST[StatementSource.STEP]
        queue.end_step()
        assert len(queue.take()) == MOST[StatementSource.STEP]
    assert queue.dropped == 6


def test_of_a_step_that_is_not_recorded_what_stays_true_goes_into_the_next_one():
    queue, line = StatementQueue(ROOM), LogEntry(LogLine("x"))
    state = TransitionStatement(1, StateTransition("m", "a", "b", "w"))
    newer = TransitionStatement(1, StateTransition("m", "b", "c", "w"))
    point = (0.0, 0.0, 0.0)
    zone, shown = Drawing("sphere", (point,), latch="zone"), Drawing("sphere", (point,))
    failed = FailedCheck("hp", "hp > 0", 1, "a.gd", 7)
    lapsed = [named(1), line, state, SetMark("m"), zone, shown, Phase("boss"), failed]
    for one in (*lapsed, ObjectName(2, "b")):
        queue.add_to_step(one, None, 1)
    queue.step_waits()
    for one in (newer, ObjectName(2, "c")):
        queue.add_to_step(one, None, 1)
    queue.step_waits()
    queue.add_to_step(WatchedValue("n", 1.0), None, 1)  # of the step after that
    assert queue.end_step(waited=True) == [failed]
    assert stated(queue) == [
        named(1), SetMark("m"), zone, Phase("boss"), newer, ObjectName(2, "c"),
    ]  # fmt: skip
    queue.end_step()
    assert stated(queue) == [WatchedValue("n", 1.0)]


def test_what_a_game_stated_in_a_step_that_never_ends_is_forgotten_and_its_room_is_free():
    queue = StatementQueue(ROOM)
    for number in range(MOST[StatementSource.STEP]):
        queue.add_to_step(named(number), None, 1)
    queue.forget_step()
    assert queue.end_step() == []
    assert queue.take() == []
    assert queue.add_to_step(named(1), None, 1)
