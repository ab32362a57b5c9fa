"""A user's preferences for each game, in any recording of it: starred fields, hidden objects."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...errors import CommandError
from ..reader.frame_snapshot import FrameSnapshot
from .settings import write_whole

FILE = "games.json"
_MOST = 100
"""Games that are remembered; the one that was changed longest ago goes."""


class SavedPreferences:
    """What is known of each game, in a file beside the settings.

    A file that makes no sense is left as it is, and nothing is kept until it is gone.

    Args:
        home: The folder of the file.
    """

    def __init__(self, home: Path) -> None:
        self.path = home / FILE

    def get(self, game: str) -> Mapping[str, Any]:
        """The saved preferences of a game; empty if there are none or the file can't be read."""
        try:
            found = self._read().get(game)
        except CommandError:
            return {}
        return found if isinstance(found, dict) else {}

    def keep(self, game: str, facts: Mapping[str, Any]) -> None:
        """Save the preferences for a game; another window may have saved other games' meanwhile.

        Raises:
            CommandError: the file can't be understood or written.
        """
        every = self._read()
        if every.get(game) == facts:
            return
        every.pop(game, None)
        every[game] = dict(facts)
        for name in list(every)[:-_MOST]:
            del every[name]
        write_whole(self.path, json.dumps(every, indent=1, ensure_ascii=False) + "\n")

    def _read(self) -> dict[str, Any]:
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            raise CommandError(
                f"stars and eyes are not kept: {self.path} can't be read ({error}): move it away"
            ) from None
        if not isinstance(found, dict):
            raise CommandError(f"stars and eyes are not kept: {self.path} holds none: move it away")
        return found


class Eyes:
    """The objects that a user has hidden, by types and names: ids differ from run to run."""

    def __init__(self) -> None:
        self.types: set[str] = set()
        """Types that are hidden as a whole."""
        self.names: set[tuple[str, str]] = set()
        """Type and name of the others."""
        self._known: set[int] = set()
        """Objects that were looked at: who is shown again by hand stays so."""

    def __bool__(self) -> bool:
        return bool(self.types or self.names)

    def take(self, facts: object) -> None:
        """Take saved values; malformed ones are left out."""
        hidden = facts if isinstance(facts, Mapping) else {}
        types, names = hidden.get("types", ()), hidden.get("objects", ())
        self.types = {one for one in _rows(types) if isinstance(one, str)}
        self.names = {
            (one[0], one[1]) for one in _rows(names)
            if isinstance(one, list) and [type(word) for word in one] == [str, str]
        }  # fmt: skip
        self._known = set()

    @property
    def facts(self) -> dict[str, Any]:
        """The values to be saved."""
        return {"types": sorted(self.types), "objects": [list(one) for one in sorted(self.names)]}

    def shut(self, snapshot: FrameSnapshot) -> frozenset[int]:
        """The objects of a frame that are to be hidden and were not checked before."""
        found = []
        for group in snapshot.objects.groups:
            for id in group.ids:
                if id not in self._known:
                    self._known.add(id)
                    is_named = (group.type, snapshot.name_of(id)) in self.names
                    if is_named or group.type in self.types:
                        found.append(id)
        return frozenset(found)

    def learn(self, snapshot: FrameSnapshot, hidden: frozenset[int]) -> None:
        """A user has hidden these, and shows all others. Of types that are not in the frame
        nothing is learned, unless nothing at all is hidden."""
        if not hidden:
            self.types, self.names = set(), set()
        members: dict[str, list[int]] = {}
        for group in snapshot.objects.groups:
            members.setdefault(group.type, []).extend(group.ids)
        self._known.update(id for ids in members.values() for id in ids)
        for type, ids in members.items():
            shut = [id for id in ids if id in hidden]
            self.types.discard(type)
            self.names = {one for one in self.names if one[0] != type}
            if len(shut) == len(ids) > 1:
                self.types.add(type)
            else:
                self.names |= {(type, snapshot.name_of(id)) for id in shut}


def _rows(hidden: object) -> Iterable[Any]:
    return hidden if isinstance(hidden, list) else ()
