"""Values in words, for messages."""

from playhead.recorder.text.safe_text import safe_text, short_text


class _Unspeakable:
    def __repr__(self) -> str:
        raise ValueError("no text")


def test_a_value_whose_text_fails_is_named_by_its_type() -> None:
    said = "a _Unspeakable whose text can't be had"
    assert safe_text(_Unspeakable()) == short_text(_Unspeakable()) == said


def test_a_long_text_is_cut() -> None:
    assert safe_text("x" * 200) == "'" + "x" * 79
    assert short_text("x" * 200) == "x" * 60


def test_floats_have_six_digits_in_a_short_text() -> None:
    assert short_text(1 / 3) == "0.333333"
    assert short_text(12) == "12"
