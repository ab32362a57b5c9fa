"""Events of the game in the viewer: rows of the log, and lanes of the timeline by their names."""

import random

from hypothesis import given
from hypothesis import strategies as st

from playhead.recorder.packets.log_lines import LogLine
from playhead.recorder.recorder import Recorder
from playhead.viewer.backends.playback_backend import frame_page
from playhead.viewer.panels.log.log_entries import LEVELS, LogEntries, entries
from playhead.viewer.panels.timeline.timeline_rows import rows_of
from playhead.viewer.reader.history.event_series import MOST_NAMES
from playhead.viewer.reader.history.history_record_types import FramePage
from playhead.viewer.reader.history.recording_history import RecordingHistory

DT = 0.5


def page(frame, events=(), lines=()):
    return FramePage(
        frame, frame * DT, DT, 0, events=tuple(events),
        lines=[LogLine(text) for text in lines],
    )  # fmt: skip


def filled(pages):
    history = RecordingHistory()
    for one in pages:
        history.put(one)
    return history


def rows(history):
    return {row.title: row for row in rows_of(history, 0, str, frozenset(), lambda key: [])}


def test_there_is_a_row_of_ticks_for_each_name_with_the_values_in_their_texts():
    history = filled([
        page(1, [(7, "hit", {"damage": 3}), (0, "door", None), (7, "hit", "hard")]),
        page(2, [(8, "hit", 2.5)]), page(3),
    ])  # fmt: skip
    assert list(rows(history)) == ["Events", "door", "hit"]
    hits = rows(history)["hit"].events
    assert [(one.time, one.frame, one.text, one.object) for one in hits] == [
        (0.5, 1, 'hit · {"damage":3}', 7), (0.5, 1, "hit · hard", 7), (1.0, 2, "hit · 2.5", 8),
    ]  # fmt: skip
    assert all(one.is_tick for one in hits)
    assert len(hits) == 3
    assert hits.near(1.1, 0.2).text == "hit · 2.5"
    assert hits.near(3.0, 0.2) is None
    assert [one.frame for one in hits.to_draw(0.0, 2.0, 100)] == [1, 2]
    history.put(page(4, [(0, "hit", None)]))
    assert [one.frame for one in hits.to_draw(0.0, 3.0, 100)] == [1, 2, 4], "the lane grows"


def test_values_of_every_kind_are_reported_in_short():
    values = [None, "x" * 500, {1: b"bytes"}, [float("nan")], {(1, 2): 3}]
    history = filled([page(1, [(0, "a", value) for value in values])])
    texts = [row.text for row in history.game_events.all.rows]
    assert texts[0] == "a"
    assert texts[1] == "a · " + "x" * 199 + "…"
    assert texts[3:] == ["a · [null]", "a · {(1, 2): 3}"]


def test_events_of_many_names_share_a_row():
    history = filled([page(at, [(0, f"name {at}", None)]) for at in range(1, MOST_NAMES + 4)])
    assert len(rows(history)) == MOST_NAMES + 2
    assert len(rows(history)["other events"].events) == 3
    history.forget_before(MOST_NAMES)
    assert sorted(history.game_events.by_name) == [f"name {MOST_NAMES}"]
    assert "other events" in rows(history)


EVENTS = st.lists(st.sampled_from(((1, "a", 1), (2, "a", 2), (1, "b", None))), max_size=3)
LINES = st.lists(st.sampled_from(("x", "y")), max_size=2)


@given(st.lists(st.tuples(st.integers(1, 12), EVENTS, LINES), max_size=25), st.integers(0, 99))
def test_in_whatever_order_pages_come_the_log_and_the_lanes_are_the_same(page_values, seed):
    history, journal = RecordingHistory(), LogEntries()
    newest = {}
    for frame, events, lines in page_values:
        newest[frame] = page(frame, events, lines)
        history.put(newest[frame])
        if random.Random(seed).random() < 0.5:
            entries(history, str, frozenset(LEVELS), journal=journal)
    expected = filled(newest[frame] for frame in sorted(newest))
    every = entries(history, str, frozenset(LEVELS), journal=journal)
    assert every == entries(expected, str, frozenset(LEVELS))
    assert sum(journal.counts.values()) == len(every)
    drawn = rows(history)
    for title, row in rows(expected).items():
        if row.events is not None:
            assert list(drawn[title].events) == list(row.events)
            assert drawn[title].events.times.tolist() == row.events.times.tolist()
    middle = 6
    for one in (history, expected):
        one.forget_before(middle)
    assert history.game_events.all.rows == expected.game_events.all.rows
    assert all(row.frame >= middle for row in history.game_events.all.rows)


def test_the_log_has_events_as_lines_of_their_own_kind():
    history = filled([page(1, [(7, "hit", 3)], ["said"]), page(2, [(0, "door", None)])])
    journal = LogEntries()
    every = entries(history, lambda id: f"guard {id}", frozenset(LEVELS), journal=journal)
    assert [(one.frame, one.level, one.text, one.who) for one in every] == [
        (1, "event", "hit · 3", "guard 7"), (1, "info", "said", ""), (2, "event", "door", ""),
    ]  # fmt: skip
    assert (journal.counts["event"], journal.counts["info"]) == (2, 1)
    only = entries(history, str, frozenset({"event"}), "hit 7", journal)
    assert [one.text for one in only] == ["hit · 3"]


def test_what_comes_at_the_newest_end_is_added_to_the_log_and_nothing_is_made_anew():
    history, journal, levels = filled([page(1, [(0, "a", 1)])]), LogEntries(), frozenset(LEVELS)
    every = entries(history, str, levels, journal=journal)
    first = every[0]
    history.put(page(2, [(0, "b", 1)], ["line"]))
    history.put(page(3, lines=["line"]))
    assert entries(history, str, levels, journal=journal) is every
    assert [one.frame for one in every] == [1, 2, 2, 3]
    assert every[0] is first
    history.put(page(2, [(0, "c", 1)]))  # it came late
    assert [one.text for one in entries(history, str, levels, journal=journal)] == [
        "a · 1", "c · 1", "line",
    ]  # fmt: skip


def test_of_a_hundred_thousand_only_those_are_made_that_are_drawn():
    history = filled(page(at, [(0, "hit", at)]) for at in range(1, 100_001))
    lane = rows(history)["hit"].events
    assert len(lane.to_draw(0.0, 50_000.0, 1000)) <= 501
    assert lane.near(25_000.2, 1.0).text == "hit · 50000"


def test_a_page_has_the_events_of_its_frame():
    recorder = Recorder("1 MiB", strict=True)
    try:
        recorder.event("hit", {"damage": 3}, object=3)
        recorder.event("hit")
        recorder.update([], 0.1)
        assert frame_page(recorder.source, 1).events == [
            (3, "hit", {"damage": 3}),
            (0, "hit", None),
        ]
    finally:
        recorder.close()
