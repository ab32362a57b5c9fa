"""The progress of the story: flags, items carried, things taken for good."""

from ...entity import pack_count, pack_text
from .level import Effects, Need, Needs

COIN = "coin"
"""The kind of item that the shop takes."""


class StoryProgress:
    """Facts that stay when an area is left, and that a saved game keeps."""

    def __init__(self) -> None:
        self.flags: set[str] = set()
        self.items: dict[str, int] = {}
        """How many of each kind are carried; none of them is 0."""
        self.taken: set[str] = set()
        """Items that lie nowhere any more, as `area/name`."""
        self.version = 0
        """Counts changes, so that what depends on the story is looked at only then."""

    def meets(self, needs: Needs) -> bool:
        """True if all of these hold."""
        return not self.lacking(needs)

    def lacking(self, needs: Needs) -> tuple[Need, ...]:
        """Those that don't hold."""
        return tuple(need for need in needs if self._holds(need) is not need.expected)

    def set(self, flag: str) -> None:
        """Set a flag; again without effect."""
        if flag not in self.flags:
            self.flags.add(flag)
            self.version += 1

    def toggle(self, flag: str) -> bool:
        """Turn a flag round; True if it is set now."""
        self.flags ^= {flag}
        self.version += 1
        return flag in self.flags

    def give(self, kind: str, count: int = 1) -> None:
        """Carry some more of a kind."""
        self.items[kind] = self.items.get(kind, 0) + count
        self.version += 1

    def take(self, kind: str, count: int = 1) -> bool:
        """Carry some less; False, and nothing is changed, if there are too few."""
        left = self.items.get(kind, 0) - count
        if left < 0:
            return False
        self.items[kind] = left
        if not left:
            del self.items[kind]
        self.version += 1
        return True

    def apply(self, effects: Effects) -> None:
        """What a deed changes."""
        for flag in effects.sets:
            self.set(flag)
        for kind in effects.gives:
            self.give(kind)
        for kind in effects.takes:
            self.take(kind)

    def pick(self, area: str, name: str, kind: str) -> None:
        """Take an item that lies in an area."""
        self.taken.add(f"{area}/{name}")
        self.give(kind)

    def lies(self, area: str, name: str) -> bool:
        """False once that item was taken."""
        return f"{area}/{name}" not in self.taken

    def pack(self) -> bytes:
        """All of it as bytes, whatever order it came in."""
        parts = [pack_count(len(self.flags)), *map(pack_text, sorted(self.flags))]
        parts += [pack_count(len(self.taken)), *map(pack_text, sorted(self.taken))]
        parts.append(pack_count(len(self.items)))
        for kind, count in sorted(self.items.items()):
            parts += [pack_text(kind), pack_count(count)]
        return b"".join(parts)

    def _holds(self, need: Need) -> bool:
        return need.name in (self.items if need.item else self.flags)
