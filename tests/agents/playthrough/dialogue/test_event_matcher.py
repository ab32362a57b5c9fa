"""Which events of the demo have come, as late and lossy observations tell it."""

from hypothesis import given
from hypothesis import strategies as st

from playhead.agents.playthrough.dialogue.event_matcher import EventLog
from playhead.agents.playthrough.playthrough_settings import parse_settings
from playhead.agents.playthrough.replay_report import ReplayReport

from ..rows import route_of, row


def log(events: str, settings: str = "") -> EventLog:
    """Of a demo with a letter a row; a point is none."""
    tree = parse_settings(settings)
    route = route_of([row(at, event=id.strip(".")) for at, id in enumerate(events)], tree)
    return EventLog(route, tree.events, ReplayReport("demo", len(events)))


def feed(one: EventLog, seen: str) -> list[str]:
    """Observe these; which events of the demo ended."""
    ended = [one.step(id.strip(".")) for id in seen]
    return [f"{event.id}{event.start}" for event in ended if event is not None]


def test_each_time_an_event_is_played_counts_once():
    one = log("..AAA......BBB......AA..")
    assert feed(one, "..AAA......BBB......AA.....") == ["A2", "B11", "A20"]
    assert one.gate is None
    assert one.occurrence("A") == 2


def test_the_gate_is_the_next_event():
    one = log("..AAA......BBB...")
    assert one.gate is not None
    assert one.gate.id == "A"
    feed(one, "..A")
    assert one.gate.id == "B"
    assert one.skipping
    assert one.matched is not None
    assert one.matched.start == 2


def test_an_event_is_over_when_it_was_not_seen_for_some_frames():
    one = log("..AAA......BBB...")
    assert feed(one, "AA.A..A....") == []
    assert one.current == "A"
    assert feed(one, ".") == ["A2"]


def test_an_old_observation_of_the_event_before_is_no_new_event():
    one = log("AAAABBBB")
    assert feed(one, "AAABABB") == ["A0"]
    assert one.current == "B"
    assert one.skipped is None


def test_two_times_that_nobody_could_tell_apart_are_one():
    one = log("AA..AA.......B")
    assert feed(one, "AA..AA.....") == ["A4"]
    assert one.gate is not None
    assert one.gate.id == "B"


def test_an_event_that_is_due_was_skipped():
    one = log("AAAAAAAA.....BBBBBBBB")
    feed(one, "B")
    assert one.skipped is not None
    assert one.skipped.id == "A"


def test_one_that_is_too_short_to_be_seen_for_sure_may_be_skipped():
    one = log("AA.....BBBBBBBB")
    feed(one, "B")
    assert one.skipped is None
    assert one._report.unseen == ["A"]


def test_where_order_does_not_matter_nothing_was_skipped():
    one = log("AAAAAAAA.....BBBBBBBB", "events: {ordered: false}")
    feed(one, "B")
    assert one.skipped is None


def test_an_event_that_is_none_of_the_demos_is_a_surprise():
    one = log("AAAAAAAA")
    assert feed(one, "ZZZ.....") == []
    assert one._report.surprises == ["Z"]
    assert one.gate is not None


def test_ignored_events_are_neither_expected_nor_surprises():
    one = log("RRR....AAAA", "events: {ignored: [R]}")
    assert one.gate is not None
    assert one.gate.id == "A"
    assert feed(one, "RRR.....AAAA.....") == ["A7"]
    assert one._report.surprises == []


def test_events_in_which_one_walks_take_no_pad():
    one = log("AAAA", "events: {playable: [A]}")
    feed(one, "AA")
    assert one.current == "A"
    assert not one.skipping


@given(
    st.lists(
        st.tuples(st.sampled_from("ABC"), st.integers(8, 15), st.integers(12, 20)), max_size=6
    ),
    st.data(),
)
def test_late_lost_and_repeated_observations_make_no_difference(plays, data):
    text = "." * 12 + "".join(id * length + "." * gap for id, length, gap in plays)
    one = log(text)
    ended = []
    for now in range(len(text) + 12):
        age = data.draw(st.integers(0, 4))
        at = max(0, now - age)
        ended += feed(one, text[at] if at < len(text) else ".")
    starts = [at for at in range(1, len(text)) if text[at] != "." and text[at] != text[at - 1]]
    assert [int(one[1:]) for one in ended] == starts
    assert one.gate is None
    assert one._report.surprises == []
