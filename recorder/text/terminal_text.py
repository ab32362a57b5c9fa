"""Text from a recording, a file or a network, made safe to be written to a terminal.

Names, marks, log lines and error texts may hold escape sequences that move the cursor, set the
window's title or fill the clipboard, and signs that turn the reading direction round.
"""

import re

_UNSAFE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and newline
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks of the reading direction
    "\u2028\u2029\ufff9-\ufffb"  # other line ends, annotations
    "\ud800-\udfff"  # halves of a character, which no encoding takes
    "\U000e0000-\U000e007f"  # invisible letters
    "]"
)


def with_article(noun: str) -> str:
    """`an int`, `a Guard`: the name of a type within a sentence."""
    return f"{'an' if noun[:1].lower() in tuple('aeiou') else 'a'} {noun}"


def terminal_text(text: str) -> str:
    """The text with control characters as escapes that can be read, such as `\\x1b`.

    Tabs and newlines stay: who needs one line calls `terminal_line`.
    """
    return _UNSAFE.sub(_escaped, text)


def terminal_line(text: str) -> str:
    """The same as one line: newlines and tabs are escaped, too."""
    return terminal_text(text).replace("\n", "\\n").replace("\t", "\\t")


def _escaped(found: "re.Match[str]") -> str:
    return found[0].encode("unicode_escape").decode("ascii")
