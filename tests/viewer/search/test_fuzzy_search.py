"""What fits what was typed, and in which order."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from playhead.viewer.search.fuzzy_search import SearchItem, rank


def choice(title: str, kind: str = "command", note: str = "") -> SearchItem:
    return SearchItem(kind, title, f"do {title}", lambda: None, note)


TITLES = (
    "Next problem", "Next mark", "Zoom the timeline in", "Camera follows the object, or stands",
    "Copy a link to this frame and object", "north", "south west", "Behaviour tree",
)  # fmt: skip
ALL = [choice(title) for title in TITLES]


def titles(text: str) -> list[str]:
    return [match.choice.title for match in rank(text, ALL)]


@pytest.mark.parametrize(
    ("text", "first"),
    [("np", "Next problem"), ("nm", "Next mark"), ("zoom", "Zoom the timeline in"),
     ("timeline", "Zoom the timeline in"), ("sw", "south west"), ("NORTH", "north"),
     ("tree beh", "Behaviour tree"), ("cl", "Copy a link to this frame and object"),
     ("foll", "Camera follows the object, or stands")],
)  # fmt: skip
def test_the_meant_one_is_first(text, first):
    assert titles(text)[0] == first


def test_the_beginning_of_a_word_beats_its_middle():
    found = rank("out", [choice("Choose a layout"), choice("Loop out here")])
    assert [match.choice.title for match in found] == ["Loop out here", "Choose a layout"]


def test_letters_that_are_missing_or_in_another_order_fit_nothing():
    assert titles("nextx") == []
    assert "north" not in titles("htron")


def test_with_nothing_typed_all_are_there_by_kind():
    found = rank("", [choice("a line", "log"), choice("guard", "object"), choice("Stop")])
    assert [match.choice.kind for match in found] == ["command", "object", "log"]


def test_a_sign_leaves_only_one_kind():
    every = [choice("guard", "object"), choice("guard stuck", "problem"), choice("Guard it")]
    assert [match.choice.kind for match in rank("@guard", every)] == ["object"]
    assert [match.choice.kind for match in rank("!guard", every)] == ["problem"]
    assert [match.choice.kind for match in rank(">", every)] == ["command"]


def test_a_note_is_found_by_whole_words_and_after_titles():
    every = [choice("north", "object", "guard 7 · Flee"), choice("Flee!", "mark")]
    assert [match.choice.title for match in rank("flee", every)] == ["Flee!", "north"]
    assert rank("gd7", every) == []


def test_the_letters_that_were_meant_are_reported():
    (match,) = rank("sw", [choice("south west")])
    assert sorted(match.positions) == [0, 6]


def test_no_more_than_asked_for_are_given():
    assert len(rank("n", [choice(f"n{at}") for at in range(500)], 20)) == 20


@given(st.text(min_size=1, max_size=8), st.text(max_size=30))
def test_what_fits_has_all_letters_in_order(typed, title):
    for match in rank(typed, [choice(title, "x")]):
        indexes = sorted(match.positions)
        assert all(0 <= at < len(title.lower()) for at in indexes)
        for word in typed.strip().lower().split():
            rest = iter(title.lower())
            assert all(letter in rest for letter in word)


@given(st.text(alphabet="abc ", min_size=1, max_size=12))
def test_a_title_always_finds_itself_first(title):
    every = [choice("aab bca"), choice("cab"), choice(title), choice("abcabc abc")]
    if title.split():
        assert rank(title, every)[0].choice.title.split() == title.split()


def test_letters_here_and_there_are_no_match():
    assert titles("chase") == []
    assert titles("cal")[0] == "Copy a link to this frame and object", "initials are"
