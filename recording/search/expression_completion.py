"""Completes the word that is being typed in an expression."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .expression import FUNCTIONS, TEXT_ARGUMENTS

_PATH = re.compile(r"[^\W\d]\w*(\.\w*)*$")
"""The name that ends at the cursor."""
_AFTER_QUOTES = re.compile(r"""(?P<quote>["'])(?P<object>[^"']*)(?P=quote)\.(?P<path>[\w.]*)$""")
_STATE_BEFORE = re.compile(r"""(entered|left)\(\s*$|(\bstate|state\([^)]*\))\s*(==|!=)\s*$""")
_BEFORE_NAMES = "(<>=+-*/%,"
_WORD_BEFORE_NAMES = re.compile(r"\b(and|or|not)\s+$")
_PLAIN = re.compile(r"[^\W\d]\w*")
_CLOCK = {"state": "of its state machine", "time": "seconds", "frame": "number"}
_FUNCTION_NOTES = {
    "changed": "where a value is another one than in the frame before",
    "previous": "the value in the frame before",
    "entered": "where a state is entered", "left": "where a state is left",
    "state": "of the state machine of this name", "event": "where an event happens",
    "node": "the status of a behaviour tree's node",
    "abs": "of a number", "norm": "the length of a vector",
}  # fmt: skip


class Vocabulary(NamedTuple):
    """The names that a recording has."""

    fields: Mapping[str, Sequence[str]]
    """The names of fields, by type."""
    objects: Mapping[str, str]
    """Types by the names of objects."""
    watches: Sequence[str] = ()
    states: Sequence[str] = ()
    machines: Sequence[str] = ()
    events: Sequence[str] = ()


class Completion(NamedTuple):
    """One way to complete a word."""

    text: str
    """The whole expression with it."""
    cursor: int
    """Where the cursor is then."""
    word: str
    """The completed word."""
    note: str
    """What kind of name the word is, in words."""


def completions(text: str, cursor: int, vocabulary: Vocabulary, most: int = 12) -> list[Completion]:
    """Ways to complete the word in front of the cursor, the likeliest first."""
    before, after = text[:cursor], text[cursor:]
    start, word, choices = _choices(before, vocabulary)
    found: list[Completion] = []
    wanted = word.casefold()
    ranked = sorted(
        (
            (not known.casefold().startswith(wanted), at, known, put, note)
            for at, (known, put, note) in enumerate(choices)
            if wanted in known.casefold() and before[start:] != put
        )
    )
    several: set[str] = set()
    for _, _, known, put, note in ranked:
        if len(found) == most:
            break
        if put in several:  # a field of that name goes before what else is called so
            continue
        several.add(put)
        made = before[:start] + put
        # A quote or bracket that is there already is not doubled.
        ends = (put[at:] for at in range(len(put)) if not put[at:].strip("\"')"))
        there = next((end for end in ends if after.startswith(end)), "")
        found.append(Completion(made + after[len(there) :], len(made), known, note))
    return found


def quoted(name: str) -> str:
    """An object's name as an expression takes it: in quotes unless it is a plain word."""
    if _PLAIN.fullmatch(name):
        return name
    return f'"{name}"' if '"' not in name else f"'{name}'"


def _choices(before: str, words: Vocabulary) -> tuple[int, str, Iterable[tuple[str, str, str]]]:
    """Where the word begins, what of it was typed, and all that it may be: as (what it is compared
    with, what is put in, a note)."""
    inside = _open_quote(before)
    if inside is not None:
        quote, start = before[inside], inside + 1
        return start, before[start:], _in_quotes(before[:inside], quote, words)
    if found := _AFTER_QUOTES.search(before):
        object, path = found["object"], found["path"]
        return found.start("path"), path, _fields_of(object, words)
    found_path = _PATH.search(before)
    if found_path is None:
        is_place = not before.strip() or before.rstrip()[-1] in _BEFORE_NAMES
        is_place |= _WORD_BEFORE_NAMES.search(before) is not None
        return len(before), "", _names(words) if is_place else ()
    path, start = found_path[0], found_path.start()
    head, dot, rest = path.partition(".")
    if dot and (head in words.fields or head in words.objects):
        return start + len(head) + 1, rest, _fields_of(head, words)
    return start, path, _names(words)


def _open_quote(before: str) -> int | None:
    """Where the text begins that the cursor is in; None if it is in none."""
    at: int | None = None
    for index, letter in enumerate(before):
        if at is None and letter in "\"'":
            at = index
        elif at is not None and letter == before[at]:
            at = None
    return at


def _in_quotes(before: str, quote: str, words: Vocabulary) -> Iterator[tuple[str, str, str]]:
    if _STATE_BEFORE.search(before):
        close = ")" if before.rstrip().endswith("(") else ""
        yield from ((one, one + quote + close, "state") for one in words.states)
    elif re.search(r"\bevent\(\s*$", before):
        yield from ((one, f"{one}{quote})", "event") for one in words.events)
    elif re.search(r"(\bstate\(|,)\s*$", before):
        yield from ((one, f"{one}{quote})", "state machine") for one in words.machines)
    else:
        yield from ((one, f"{one}{quote}.", type) for one, type in words.objects.items())


def _fields_of(whose: str, words: Vocabulary) -> Iterator[tuple[str, str, str]]:
    type = words.objects.get(whose, whose)
    for name in words.fields.get(type, ()):
        yield name, name, f"field of {type}"
    yield "state", "state", _CLOCK["state"]
    for name in words.watches:
        if _PLAIN.fullmatch(name):
            yield name, name, "watched value"


def _names(words: Vocabulary) -> Iterator[tuple[str, str, str]]:
    types_by_field: dict[str, list[str]] = {}
    for type, fields in words.fields.items():
        for name in fields:
            types_by_field.setdefault(name, []).append(type)
    for name, types in types_by_field.items():
        yield name, name, f"field of {', '.join(types[:3])}{' …' if len(types) > 3 else ''}"
    for name in words.watches:
        if _PLAIN.fullmatch(name):
            yield name, name, "watched value"
    for name, note in _CLOCK.items():
        yield name, name, note
    for name in FUNCTIONS:
        quote = '"' if name in TEXT_ARGUMENTS else ""
        yield name, f"{name}({quote}", _FUNCTION_NOTES[name]
    for type in words.fields:
        if _PLAIN.fullmatch(type):
            yield type, f"{type}.", "type"
    for name, type in words.objects.items():
        yield name, f"{quoted(name)}.", type
