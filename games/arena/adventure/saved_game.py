"""Saved games of an adventure as JSON, checked before they are used."""

import math
from pathlib import Path

import msgspec

from ....errors import GameError
from .world.level import AdventureLevel
from .world.player import HEALTH
from .world.story_progress import StoryProgress

FORMAT = 1
MOST_BYTES = 1 << 20


class SavedGame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A saved game. Metres and radians."""

    game: str
    area: str
    at: tuple[float, float]
    facing: float
    camera: tuple[float, float]
    hp: float
    flags: tuple[str, ...]
    items: dict[str, int]
    taken: tuple[str, ...]
    """Items that lie nowhere any more, as `area/name`."""
    format: int = FORMAT

    def story(self) -> StoryProgress:
        """What it says of the story."""
        story = StoryProgress()
        story.flags.update(self.flags)
        story.items.update(self.items)
        story.taken.update(self.taken)
        return story


def write_saved(saved: SavedGame, path: Path) -> None:
    """Write a saved game, all of it or nothing.

    Raises:
        GameError: it can't be written.
    """
    text = msgspec.json.format(msgspec.json.encode(saved), indent=2) + b"\n"
    partial = path.with_name(f".{path.name}.part")
    try:
        partial.write_bytes(text)
        partial.replace(path)
    except OSError as error:
        raise GameError(f"{path}: the game can't be saved there: {error}") from error


def read_saved(path: Path, level: AdventureLevel, game: str) -> SavedGame:
    """A saved game of this level.

    Raises:
        GameError: it can't be read, or is no saved game of this level.
    """
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise GameError(f"{path}: the saved game can't be read: {error}") from error
    if len(text) > MOST_BYTES:
        raise GameError(f"{path}: this is no saved game: it is larger than {MOST_BYTES} bytes")
    try:
        saved = msgspec.json.decode(text, type=SavedGame)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise GameError(f"{path}: this is no saved game: {error}") from error
    mismatch = _mismatch(saved, level, game)
    if mismatch:
        raise GameError(f"{path}: this is no saved game of {game}: {mismatch}")
    return saved


def _mismatch(saved: SavedGame, level: AdventureLevel, game: str) -> str:
    """What makes it unfit; empty if nothing does."""
    if saved.format != FORMAT:
        return f"format is {saved.format}, not {FORMAT}"
    if saved.game != game:
        return f"it is one of {saved.game!r}"
    area = level.areas.get(saved.area)
    if area is None:
        return f"there is no area {saved.area!r}"
    if not all(map(math.isfinite, (*saved.at, saved.facing, *saved.camera, saved.hp))):
        return "a number in it is none"
    if any(abs(saved.at[axis]) > area.size[axis] / 2 for axis in (0, 1)):
        return f"at {saved.at} is outside {saved.area}"
    if not 0.0 < saved.hp <= HEALTH:
        return f"hp is {saved.hp:g}, not above 0 and up to {HEALTH:g}"
    if any(not 0 < count < 1000 for count in saved.items.values()):
        return "items: there is at least one and less than 1000 of each"
    item_names = {f"{a.name}/{item.name}" for a in level.areas.values() for item in a.items}
    strange = sorted(set(saved.taken) - item_names)
    if strange:
        return f"taken: there is no item {strange[0]!r}"
    return ""
