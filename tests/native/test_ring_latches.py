"""Latched state: what stays true until replaced, long after the frame that said it."""

from .rings import DROPPED, HERE, LATCHES, REFUSED, record_frame, ring_of


def test_what_is_latched_holds_until_it_is_replaced_or_the_object_is_gone() -> None:
    ring = ring_of(1 << 16, 8000)
    changes: dict[int, bytes | None] = {3: b"walk", 7: b"run", 12: None, 15: b"back"}
    for frame in range(1, 20):
        ring.begin()
        if frame in changes:
            state = changes[frame]
            if state is None:
                assert ring.despawn(5, 9) == 1
            else:
                assert ring.latch(5, 9, 0, 2, 77, state)
        ring.commit(frame, 0.0)
    for frame in range(1, 20):
        began = max((f for f in changes if f <= frame), default=None)
        state = changes[began] if began else None
        assert ring.latched(frame, 5, 2, 77) == (None if state is None else (began, 9, state))
    assert ring.latched(19, 5, 2, 78) is None
    assert ring.latched(19, 5, 3, 77) is None
    assert ring.latched(19, 6, 2, 77) is None
    assert [v[2] for v in ring.versions(19, 5, 2, 77, 9)] == [b"back", None, b"run", b"walk"]
    assert [v[2] for v in ring.versions(14, 5, 2, 77, 2)] == [None, b"run"]
    assert ring.latched_all(8) == [(5, 2, 77, 7, 9, b"run")]
    assert ring.stamp(3)[5] == LATCHES


def test_what_was_latched_long_ago_is_still_known_at_every_frame() -> None:
    ring = ring_of(4096, 8000)
    ring.begin()
    for object in range(1, 9):
        ring.latch(object, 1, 0, 0, 0, f"spawn {object}".encode())
    ring.commit(0.0, 0.0)
    for time in range(1, 200):
        record_frame(ring, time, bytes(64))
    assert not ring.holds(1)
    assert ring.oldest
    for frame in range(ring.oldest[0], 201):
        for object in range(1, 9):
            assert ring.latched(frame, object, 0, 0) == (1, 1, f"spawn {object}".encode())
    assert len(ring.latched_all(200)) == 8


def test_one_claim_that_evicts_many_frames_keeps_the_newest_fact() -> None:
    ring = ring_of(8192, 8000)
    for time in range(30):
        ring.begin()
        ring.latch(1, 1, 0, 0, 0, b"%d" % time)
        ring.commit(time, 0.0)
    ring.begin()
    assert ring.record(1, 1, True, HERE, HERE, bytes(5000))
    ring.commit(99.0, 0.0)
    assert ring.oldest
    assert ring.latched(ring.oldest[0], 1, 0, 0) is not None
    assert ring.latched(31, 1, 0, 0) == (30, 1, b"29")


def test_a_full_latch_area_refuses_new_keys_counts_them_and_marks_the_frame() -> None:
    ring = ring_of(1 << 16, 2000)  # three entries
    ring.begin()
    accepted = [ring.latch(1, 1, 0, 0, key, b"x") for key in range(6)]
    assert accepted == [True, True, True, False, False, False]
    ring.commit(0.0, 0.0)
    assert ring.accounts["latch_refused"] == 3
    assert ring.accounts["latch_keys"] == 3
    assert ring.stamp(1)[5] == LATCHES | REFUSED
    ring.begin()
    assert ring.latch(1, 1, 0, 0, 0, b"an old key can always change")
    ring.commit(1.0, 0.0)
    assert ring.stamp(2)[5] == LATCHES


def test_a_fact_larger_than_everything_is_refused_and_counted() -> None:
    ring = ring_of(4096, 8000)
    for size in (5000, 100_000):
        refused = sum(ring.accounts[name] for name in ("latch_refused", "packets_dropped"))
        ring.begin()
        assert not ring.latch(1, 1, 0, 0, 0, bytes(size))
        frame = ring.commit(0.0, 0.0)
        assert ring.stamp(frame)[5] & (DROPPED | REFUSED)
        now = sum(ring.accounts[name] for name in ("latch_refused", "packets_dropped"))
        assert now == refused + 1
    assert ring.accounts["latch_keys"] == 0
    assert ring.accounts["latch_used"] == 0


def test_the_place_of_an_object_that_is_gone_is_given_back() -> None:
    ring = ring_of(2048, 2000)
    for object in range(1, 300):
        ring.begin()
        assert ring.latch(object, 1, 0, 0, 0, b"spawned")
        ring.commit(object, 0.0)
        ring.begin()
        assert ring.despawn(object, 1) == 1
        ring.record(1, 1, True, HERE, HERE, bytes(1200))
        ring.commit(object, 0.0)
    assert ring.accounts["latch_refused"] == 0
    assert ring.accounts["latch_keys"] <= 3


def test_an_aborted_frame_leaves_what_was_latched_as_it_was() -> None:
    ring = ring_of(4096, 8000)
    ring.begin()
    ring.latch(1, 1, 0, 0, 0, b"old")
    ring.commit(0.0, 0.0)
    ring.begin()
    ring.latch(1, 1, 0, 0, 0, b"new")
    ring.latch(1, 1, 0, 0, 0, b"newer")
    ring.latch(2, 1, 0, 0, 0, b"other")
    ring.despawn(1, 1)
    ring.abort()
    record_frame(ring, 1.0)
    assert ring.latched_all(2) == [(1, 0, 0, 1, 1, b"old")]
    for time in range(2, 60):
        record_frame(ring, time, bytes(100))
    assert ring.latched(60, 1, 0, 0) == (1, 1, b"old")
    assert ring.latched(60, 2, 0, 0) is None


def test_without_a_latch_area_every_fact_is_refused() -> None:
    ring = ring_of(4096, 0)
    ring.begin()
    assert not ring.latch(1, 1, 0, 0, 0, b"x")
    assert ring.despawn(1, 1) == 0
    assert ring.commit(0.0, 0.0) == 1
    assert ring.stamp(1)[5] == REFUSED
    assert ring.latched_all(1) == []


def test_among_many_versions_the_right_one_is_found() -> None:
    ring = ring_of(1 << 20, 8000)
    for frame in range(1, 5000):
        ring.begin()
        if frame % 3 == 0:
            ring.latch(1, 1, 0, 0, 0, b"%d" % frame)
        ring.commit(frame, 0.0)
    assert ring.oldest
    for frame in range(max(3, ring.oldest[0]), 5000, 7):
        expected = frame - frame % 3
        assert ring.latched(frame, 1, 0, 0) == (expected, 1, b"%d" % expected)


def test_what_is_of_one_kind_may_end_by_itself() -> None:
    ring = ring_of(1 << 16, 8000)
    ring.begin()
    for kind in (1, 2):
        for key in (7, 8):
            ring.latch(0, 9, 0, kind, key, b"x")
    ring.commit(1.0, 0.0)
    ring.begin()
    assert ring.despawn(0, 14, 2) == 2
    assert ring.despawn(0, 14, 2) == ring.despawn(0, 14, 3) == 0
    ring.commit(2.0, 1.0)
    assert [row[1:3] for row in ring.latched_all(2)] == [(1, 7), (1, 8)]
    assert len(ring.latched_all(1)) == 4


# --- a full latch area ----------------------------------------------------------------------------


def test_frames_are_evicted_for_a_new_key_only_as_far_as_keys_ended_in_them() -> None:
    ring = ring_of(1 << 16, 3 * 640)  # three entries
    ring.begin()
    for object in (1, 2, 3):
        assert ring.latch(object, 1, 0, 0, 0, b"x")
    ring.commit(0.0, 0.0)
    for time in range(1, 10):
        record_frame(ring, time)
    ring.begin()
    assert not ring.latch(4, 1, 0, 0, 0, b"all of them live")
    assert ring.despawn(2, 1) == 1
    assert not ring.latch(4, 1, 0, 0, 0, b"the frame in which one ended is not finished")
    assert ring.accounts["frames_evicted"] == 0
    ring.commit(10.0, 0.0)
    for time in range(11, 20):
        record_frame(ring, time)
    ring.begin()
    assert ring.latch(4, 1, 0, 0, 0, b"in the place of that one")
    assert not ring.latch(5, 1, 0, 0, 0, b"all of them live again")
    ring.commit(20.0, 0.0)
    assert ring.oldest == (12, 11.0)
    accounts = ring.accounts
    assert (accounts["frames_evicted"], accounts["latch_evicted"]) == (11, 11)
    assert accounts["latch_refused"] == 3
    assert sorted(row[0] for row in ring.latched_all(21)) == [1, 3, 4]


def test_no_frame_is_evicted_for_what_would_not_fit_all_the_same() -> None:
    ring = ring_of(1 << 16, 8 * 640)
    ring.begin()
    for object in range(1, 9):
        assert ring.latch(object, 1, 0, 0, 0, bytes(100))
    ring.commit(0.0, 0.0)
    ring.begin()
    assert ring.despawn(3, 1) == 1
    ring.commit(1.0, 0.0)
    ring.begin()
    assert not ring.latch(9, 1, 0, 0, 0, bytes(3000))
    ring.commit(2.0, 0.0)
    assert ring.accounts["frames_evicted"] == 0
    assert ring.oldest == (1, 0.0)


def test_reserved_room_outlives_a_despawn_and_an_abort() -> None:
    ring = ring_of(1 << 12, 16_000)
    assert ring.reserve(0, 7, 0, 500)
    assert not ring.reserve(0, 8, 0, 50_000), "more than a third of the latch area"
    for time in range(100):
        ring.begin()
        for object in range(1, 40):
            ring.latch(object + 40 * time, 1, 0, 0, 0, b"x")
        ring.abort()
        ring.begin()
        ring.latch(time, 1, 0, 0, 0, bytes(200))
        assert ring.latch(0, 1, 0, 7, 0, bytes(time * 5))
        if time % 3 == 0:
            assert ring.despawn(0, 1) >= 1
            assert ring.despawn(0, 1) == 0
        ring.commit(time, 0.0)
        assert ring.latched(time + 1, 0, 7, 0) == (
            None if time % 3 == 0 else (time + 1, 1, bytes(time * 5))
        )
    assert ring.accounts["latch_refused"] > 0


def test_room_that_is_not_there_is_not_reserved_and_the_key_takes_none() -> None:
    ring = ring_of(1 << 14, 16_000)
    ring.begin()
    for object in range(1, 100):
        if not ring.latch(object, 1, 0, 0, 0, bytes(200)):
            break
    before = ring.accounts
    assert not ring.reserve(0, 7, 0, 500)
    assert ring.accounts == before
    assert ring.reserve(0, 7, 0, 100), "so much is left"
    assert ring.latch(0, 1, 0, 7, 0, bytes(100))
    ring.commit(0.0, 0.0)
    assert ring.latched(1, 0, 7, 0) == (1, 1, bytes(100))
