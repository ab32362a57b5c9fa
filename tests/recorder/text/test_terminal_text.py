"""Text that comes from elsewhere can't steer a terminal."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from playhead.recorder.text.terminal_text import terminal_line, terminal_text


def test_escape_sequences_become_text_that_can_be_read():
    assert terminal_text("a\x1b[2Jb\x9b1m\x07") == "a\\x1b[2Jb\\x9b1m\\x07"
    assert terminal_text("guard\u202egnp.exe") == "guard\\u202egnp.exe"
    assert terminal_text("half \udcff\r\x7f") == "half \\udcff\\r\\x7f"


def test_what_people_write_stays_as_it_is():
    for text in ("Wächter 7 – ×2 µs …", "日本語", "a\tb\nc", "👩‍🚀", "\\x1b"):
        assert terminal_text(text) == text


def test_a_line_stays_one_line():
    assert terminal_line("ok\nplayhead: all is well\t!\u2028x") == (
        "ok\\nplayhead: all is well\\t!\\u2028x"
    )


@given(st.text(st.characters()))
def test_no_control_character_is_left_whatever_the_text(text):
    safe = terminal_line(text)
    assert not [sign for sign in safe if unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp")]
    safe.encode("utf-8")
