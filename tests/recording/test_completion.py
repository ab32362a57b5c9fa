"""Completing the word that is typed in an expression."""

import pytest

from playhead.errors import ExpressionError
from playhead.recording.search.expression import parse
from playhead.recording.search.expression_completion import Vocabulary, completions, quoted

WORDS = Vocabulary(
    fields={"Guard": ("hp", "health", "velocity", "position"), "Door": ("open", "position")},
    objects={"guard 7": "Guard", "boss": "Guard", "/root/Main/Door": "Door", "12": "Guard"},
    watches=("suspicion", "a b"), states=("Flee", "Chase"), machines=("ai",), events=("shot",),
)  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("h", "hp"),
        ("hp < 50 and sus", "hp < 50 and suspicion"),
        ("Guard.hea", "Guard.health"),
        ("boss.vel", "boss.velocity"),
        ('"guard 7".h', '"guard 7".hp'),
        ('"/root', '"/root/Main/Door".'),
        ("Doo", "Door."),
        ('entered("Fl', 'entered("Flee")'),
        ('boss.state == "Ch', 'boss.state == "Chase"'),
        ('event("', 'event("shot")'),
        ('state("a', 'state("ai")'),
        ("chan", "changed("),
        ("ent", 'entered("'),
    ],
)
def test_the_likeliest_completion_comes_first(typed, first):
    assert completions(typed, len(typed), WORDS)[0].text == first


def test_in_the_middle_of_a_text_only_the_word_at_the_cursor_changes():
    (one, *_) = completions("vel > 3 and hp < 50", 3, WORDS)
    assert (one.text, one.cursor) == ("velocity > 3 and hp < 50", 8)


def test_a_quote_and_a_bracket_that_are_there_are_not_doubled():
    typed = 'entered("Fl'
    (one,) = completions(typed + '")', len(typed), WORDS)
    assert parse(one.text)


def test_names_that_are_no_words_are_offered_in_quotes_and_watches_that_cannot_be_written_are_not():
    assert [one.text for one in completions("gua", 3, WORDS)][:2] == ["Guard.", '"guard 7".']
    assert all(one.word != "a b" for one in completions("", 0, WORDS, 100))
    assert quoted('a "b"') == "'a \"b\"'"


def test_where_no_name_can_follow_nothing_is_offered():
    assert completions("hp ", 3, WORDS) == []
    assert completions("hp < ", 5, WORDS)


@pytest.mark.parametrize(
    ("text", "column"),
    [("hp <", 5), ("hp << 2", 1), ("hp < 5 and fly(3)", 12), ("lambda: 3", 1), ("(" * 300, 0)],
)
def test_a_mistake_has_its_place(text, column):
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert caught.value.column == column or (column == 0 and caught.value.column >= 0)
