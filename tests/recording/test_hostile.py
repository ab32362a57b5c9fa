"""Files made or bent to do harm: each question is answered or refused, and nothing else happens."""

import logging
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from playhead.errors import PlayheadError
from playhead.recorder.clips.save_clip import save
from playhead.recording.open_file import open
from playhead.recording.recording import Recording

from .guards import Guards, play, session_of
from .test_same_everywhere import QUESTIONS


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A clip of several chunks and a small ring, as bytes."""
    folder, world = tmp_path_factory.mktemp("files"), Guards()
    with session_of(world, "96 KiB", path=folder / "run.ring", latch="32 KiB") as session:
        play(session, world, 60)
        save(folder / "run.mcap", session.recorder.ring, chunk_bytes=10_000)
    return {form: (folder / f"run.{form}").read_bytes() for form in ("mcap", "ring")}


def flipped(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 3, 20))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def overwritten(data: bytearray, chance: random.Random) -> None:
    at, length = chance.randrange(len(data)), chance.choice((1, 8, 200))
    data[at : at + length] = chance.choice((b"\0", b"\xff"))[:1] * len(data[at : at + length])


def cut(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(len(data)) :]


def repeated(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(len(data))
    data[at:at] = data[at : at + chance.randrange(1, 3000)]


@pytest.mark.parametrize("form", ["mcap", "ring"])
@pytest.mark.parametrize("harm", [flipped, overwritten, cut, repeated])
@pytest.mark.parametrize("seed", range(6))
def test_a_bent_file_is_answered_or_refused(
    seed: int, harm: Callable[[bytearray, random.Random], None], form: str,
    files: dict[str, bytes], tmp_path: Path, caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    chance, data = random.Random(f"{seed} {form} {harm.__name__}"), bytearray(files[form])
    harm(data, chance)
    path = tmp_path / f"bent.{form}"
    path.write_bytes(data)
    with caplog.at_level(logging.WARNING, "playhead"):
        try:
            run = open(path)
        except PlayheadError as error:
            assert path.name in str(error)
            return
        with run:
            repr(run)
            for question in QUESTIONS.values():
                ask(question, run)
    left_out = [one for one in caplog.records if "left out" in one.getMessage()]
    assert len(left_out) <= 1, "it is said once"


def ask(question: Callable[[Recording], object], run: Recording) -> None:
    try:
        question(run)
    except PlayheadError as error:
        assert str(error)
