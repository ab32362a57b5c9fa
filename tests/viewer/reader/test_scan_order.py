"""Which frame is read next."""

import hypothesis.strategies as st
from hypothesis import given

from playhead.recorder.packets.recorded_frame import FrameRange
from playhead.viewer.reader.scan_order import FrameScan


def span(oldest: int, newest: int) -> FrameRange:
    return FrameRange(oldest, newest, oldest / 10, newest / 10)


@given(
    st.booleans(),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(1, 5)), max_size=30),
)
def test_each_frame_is_given_out_once_while_the_ends_move(backwards, moves):
    held = span(1, 10)
    scan, given_out = FrameScan(), []
    scan.begin(held, backwards=backwards)
    for grows, evicts, reads in moves:
        held = span(min(held.oldest + evicts, held.newest), held.newest + grows)
        for _ in range(reads):
            frame = scan.next(held)
            if frame is not None:
                assert held.oldest <= frame <= held.newest
                given_out.append(frame)
    for unread in range(scan.unread(held), 0, -1):
        assert scan.unread(held) == unread
        frame = scan.next(held)
        assert frame is not None
        given_out.append(frame)
    assert scan.next(held) is None
    assert len(set(given_out)) == len(given_out)
    assert set(range(held.oldest, held.newest + 1)) <= set(given_out)
    assert scan.progress(held) == 1.0


def test_new_frames_come_before_old_ones_in_front_of_a_running_game():
    scan = FrameScan()
    scan.begin(span(1, 10), backwards=True)
    assert [scan.next(span(1, 10)) for _ in range(2)] == [10, 9]
    assert [scan.next(span(1, 12)) for _ in range(3)] == [11, 12, 8]


def test_what_changed_is_read_again_if_it_was_read():
    scan = FrameScan()
    scan.begin(span(1, 9), backwards=False)
    assert [scan.next(span(1, 9)) for _ in range(3)] == [1, 2, 3]
    scan.again([2, 8])
    assert [scan.next(span(1, 9)) for _ in range(2)] == [2, 4]
