"""Names of clips: safe on every system, and of one test alone."""

import re

from hypothesis import given
from hypothesis import strategies as st

from playhead.testing.plugin_settings import clip_name

LETTERS = st.text(st.characters(exclude_categories=()), max_size=300)


@given(LETTERS)
def test_a_name_is_safe_and_not_too_long(test):
    assert re.fullmatch(r"[A-Za-z0-9_-]{8,90}", clip_name(test))
    assert not clip_name(test).startswith("-")


@given(LETTERS, LETTERS)
def test_two_tests_never_share_a_name_not_even_where_case_counts_for_nothing(one, other):
    for this, that in ((one, other), (one, one + "-"), (one + "a", one + "A"), ("/" + one, one)):
        assert (clip_name(this).lower() == clip_name(that).lower()) is (this == that)


def test_a_name_says_which_test_it_was():
    name = clip_name("tests/ai/test_guard.py::TestYard::test_faces[seed=3]")
    assert name.startswith("tests-ai-test_guard-py-TestYard-test_faces-seed-3-")
    assert "test_the_end" in clip_name("a/" * 100 + "test_x.py::test_the_end")
