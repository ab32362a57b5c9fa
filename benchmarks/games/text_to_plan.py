"""Text to plan: how many sentences are read exactly, of sets frozen before they were read.

A sentence is right if kind, action and actor of all its steps are exactly those that a person wrote
beside it. To go somewhere and to do something there is the same as to do it there. What a person
wrote down as impossible to understand is right if it is reported.

Every set was written and frozen, read once, and then used to improve the reader. So only what it
showed when it was read for the first time tells how fresh sentences fare: the promise is about
that. What it shows now stands beside it, so that nothing gets lost again. No set was seen by the
words and rules that stood before it.
"""

import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from playhead.agents.plans.plan_checker import plan_game
from playhead.agents.plans.text.parsed_step_or_rule import StepOrRule
from playhead.agents.plans.text.sentence_parser import SentenceParser
from playhead.agents.plans.text.text_to_plan import TextToPlan
from playhead.agents.plans.text.words.game_vocabulary_matcher import GameWords
from playhead.agents.plans.text.words.tokenizer_and_lemmatizer import sentences, without_numbering
from playhead.games.game_catalog import open_game

from ..support.report_table import Line
from ..support.timing import Size

DATA = Path(__file__).with_name("data")

PROMISED = 5.0
"""Percent of the sentences that are not read exactly, at most."""


class FrozenSet(NamedTuple):
    """A file of sentences."""

    file: str
    first: int
    """How many were right when they were read for the first time."""
    about: str


SETS = (
    FrozenSet("held_out", 218, "many games"),
    FrozenSet("after_freeze", 45, "many games"),
    FrozenSet("final", 42, "many games"),
    FrozenSet("testers_1", 81, "many games"),
    FrozenSet("testers_2", 85, "many games"),
    FrozenSet("testers_3", 83, "many games"),
    FrozenSet("testers_4", 72, "slang, chat, speech"),
    FrozenSet("testers_5", 74, "slang, chat, speech"),
    FrozenSet("testers_6", 104, "steps of testers"),
    FrozenSet("testers_7", 89, "hard cases"),
    FrozenSet("testers_8", 82, "hard cases"),
    FrozenSet("testers_9", 109, "steps of testers"),
    FrozenSet("testers_10", 109, "steps of testers"),
    FrozenSet("testers_11", 107, "steps of testers"),
    FrozenSet("testers_12", 115, "steps of testers"),
    FrozenSet("testers_13", 116, "steps of testers"),
    FrozenSet("testers_14", 103, "steps of testers"),
    FrozenSet("testers_15", 107, "steps of testers"),
    FrozenSet("testers_16", 105, "steps of testers"),
    FrozenSet("testers_17", 105, "steps of testers"),
    FrozenSet("traps", 56, "what no plan can do"),
    FrozenSet("traps_2", 54, "what no plan can do"),
    FrozenSet("traps_3", 54, "what no plan can do"),
    FrozenSet("traps_4", 60, "what no plan can do"),
    FrozenSet("traps_5", 59, "what no plan can do"),
    FrozenSet("traps_6", 57, "what no plan can do"),
    FrozenSet("traps_7", 59, "what no plan can do"),
)  # fmt: skip
Meant = tuple[str, str, str]
"""Kind, action and actor's type; `-` for none."""
_UNKNOWN: Meant = ("unknown", "-", "-")


class Sentence(NamedTuple):
    """A sentence with what a person says that it means."""

    game: str
    text: str
    meant: list[list[Meant]]
    """What may be meant; several readings may be right."""


def measure(size: Size) -> list[Line]:
    lines: list[Line] = []
    for name, first, about in SETS:
        wrong = guessed = 0
        start = time.process_time()
        those = list(read_set(DATA / f"text_to_plan_{name}.txt"))
        for one in those:
            found = list(read(one))
            right = is_right(found, one)
            wrong += not right
            guessed += not right and _UNKNOWN not in found
        count = len(those)
        took = (time.process_time() - start) / count * 1000
        for when, rights in (("when first read", first), ("now", count - wrong)):
            lines.append(Line(
                f"not read exactly {when}, {name}, {about}", 100 - 100 * rights / count, "%",
                PROMISED, f"{rights} of {count} right",
            ))  # fmt: skip
        note = "read as something else, and not reported as not understood"
        lines.append(Line(f"guessed now, {name}", 100 * guessed / count, "%", 0.0, note))
        lines.append(Line(f"a sentence, {name}", took, "ms"))
    return lines


def is_right(found: list[Meant], one: Sentence) -> bool:
    """Whether a sentence was read as a person would."""
    reported = _UNKNOWN in found and any(_UNKNOWN in meant for meant in one.meant)
    return reported or _merged(found) in map(_merged, one.meant)


def _merged(steps: list[Meant]) -> list[Meant]:
    """The steps; going somewhere and doing something there is one."""
    statements: list[Meant] = []
    for kind, action, actor in steps:
        goes = (
            statements and statements[-1][:2] == ("node", "-") and kind == "node" and action != "-"
        )
        if goes and actor in ("-", statements[-1][2]):
            statements[-1] = kind, action, statements[-1][2]
        else:
            statements.append((kind, action, actor))
    return statements


def read(one: Sentence) -> Iterator[Meant]:
    """What comes of a sentence."""
    reader = _reader(one.game)
    if isinstance(reader, TextToPlan):
        for read in reader.read(one.text):
            known = read.kind, read.action or "-", read.actor or "-"
            yield _UNKNOWN if read.problem else known
        return
    last: StepOrRule | None = None
    for sentence in sentences(without_numbering(one.text)):
        for statement in reader.read(sentence, last):
            yield statement.kind, statement.action or "-", statement.actor or "-"
            last = statement if statement.actor else last


@cache
def _reader(game: str) -> TextToPlan | SentenceParser:
    """What reads sentences about a game: one that there is, or one made up of words."""
    if not game.startswith("actions: "):
        with open_game(game) as opened:
            return TextToPlan(plan_game(opened))
    actions, actors = game.removeprefix("actions: ").split("; actors: ")
    named = [name.strip() for name in actions.split(",")]
    words = GameWords({name.rstrip("*"): name.endswith("*") for name in named}, actors.split(", "))
    return SentenceParser(words, ("health",))


def read_set(path: Path) -> Iterator[Sentence]:
    """The sentences of a file, each about the game that is named above it."""
    game = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("game: "):
            game = line.removeprefix("game: ").strip()
        elif " => " in line and not line.startswith("#"):
            text, _, expected = line.partition(" => ")
            assert game, f"{path}: a sentence before any game"
            yield Sentence(game, text, [_meant(one) for one in expected.split("|")])


def _meant(expected: str) -> list[Meant]:
    found: list[Meant] = []
    for step in expected.split(";"):
        kind, action, actor = step.split()
        found.append((kind, action.replace("buy_", "buy "), actor))
    return found
