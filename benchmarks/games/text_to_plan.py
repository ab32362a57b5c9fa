"""Text to plan: how many sentences are misread, of sets that neither it nor its training knows.

A sentence is right if kind, action and actor of all its steps are exactly those that a person wrote
beside it. The first set was written before the pipeline, which was never tuned on it. All others
were frozen before they were read, and tuned on afterwards, so that only what each showed when it
was measured for the first time tells how fresh sentences fare; it stands beside what it shows now.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from playhead.agents.plans.text.game_words import GameWords
from playhead.agents.plans.text.sentence_reader import SentenceReader, Statement
from playhead.agents.plans.text.word_forms import sentences, without_numbering

from ..support.report_table import Line
from ..support.timing import Size

DATA = Path(__file__).with_name("data")
SETS = {
    "before": "held_out", "after the freeze": "after_freeze", "last": "final",
    "by testers": "testers_1", "by testers, then": "testers_2", "by testers, last": "testers_3",
}  # fmt: skip
FIRST = {
    "before": 218, "after the freeze": 45, "last": 42, "by testers": 81, "by testers, then": 85,
    "by testers, last": 83,
}  # fmt: skip
"""How many were right when each set was measured for the first time."""
Meant = tuple[str, str, str]
"""Kind, action and actor; `-` for none."""


class Sentence(NamedTuple):
    """A sentence with what a person says that it means."""

    reader: SentenceReader
    text: str
    meant: list[Meant]


def measure(size: Size) -> list[Line]:
    lines: list[Line] = []
    for when, name in SETS.items():
        wrong = guessed = 0
        start = time.perf_counter()
        those = list(read_set(DATA / f"text_to_plan_{name}.txt"))
        for one in those:
            found = [meant_by(statement) for statement in read(one)]
            wrong += found != one.meant
            guessed += found != one.meant and all(kind != "unknown" for kind, _, _ in found)
        count = len(those)
        took = (time.perf_counter() - start) / count * 1000
        note = f"{count - wrong} of {count} right; {FIRST[when]} when first measured"
        lines.append(Line(f"misread, written {when}", 100 * wrong / count, "%", 5.0, note))
        note = "misread, and not reported as not understood"
        lines.append(Line(f"guessed, written {when}", 100 * guessed / count, "%", None, note))
        lines.append(Line(f"a sentence, written {when}", took, "ms"))
    return lines


def read(one: Sentence) -> Iterator[Statement]:
    """What comes of a sentence."""
    last: Statement | None = None
    for sentence in sentences(without_numbering(one.text)):
        for statement in one.reader.read(sentence, last):
            yield statement
            last = statement if statement.actor else last


def meant_by(one: Statement) -> Meant:
    return one.kind, one.action or "-", one.actor or "-"


def read_set(path: Path) -> Iterator[Sentence]:
    """The sentences of a file, each with the game that is named above it."""
    reader: SentenceReader | None = None
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("game: "):
            actions, actors = line.removeprefix("game: actions: ").split("; actors: ")
            named = [name.strip() for name in actions.split(",")]
            game = GameWords(
                {name.rstrip("*"): name.endswith("*") for name in named}, actors.split(", ")
            )
            reader = SentenceReader(game, ("health",))
        elif " => " in line and not line.startswith("#"):
            text, _, steps = line.partition(" => ")
            assert reader is not None, f"{path}: a sentence before any game"
            meant: list[Meant] = []
            for step in steps.split(";"):
                kind, action, actor = step.split()
                meant.append((kind, action, actor))
            yield Sentence(reader, text, meant)
