"""How often something happened, as people say it."""

import pytest

from playhead.recorder.text.how_often_in_words import how_often


@pytest.mark.parametrize(
    ("count", "words"), [(0, "never"), (1, "once"), (2, "2 times"), (1234, "1,234 times")]
)
def test_none_and_one_are_words_and_large_numbers_are_grouped(count, words):
    assert how_often(count) == words
