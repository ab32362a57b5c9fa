"""The folder of automatically saved clips: names that sort by time, and a limit on their number.

Only files with such names are ever removed: `2026-01-31T12-00-00.123Z-stuck.mcap`.
"""

import os
import re
import time
from collections.abc import Container
from contextlib import suppress
from pathlib import Path

from ...errors import RecordingError

_MOST_NAME = 60
"""Characters of a trigger's name that its file is called by."""
_OWN = re.compile(r"(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z)-[\w-]+?(?:\.(\d+))?\.mcap")


def file_name(name: str, when: float, count: int = 1) -> str:
    """What a clip is called that was triggered at an instant (seconds since 1970)."""
    stamp = time.strftime("%Y-%m-%dT%H-%M-%S", time.gmtime(when))
    stem = re.sub(r"[^\w]+", "-", name).strip("-_")[:_MOST_NAME].strip("-_")
    # A file system counts bytes, and letters may have four.
    while len(stem.encode("utf-8", "replace")) > 2 * _MOST_NAME:
        stem = stem[:-1]
    again = f".{count}" if count > 1 else ""
    return f"{stamp}.{int(when * 1000) % 1000:03d}Z-{stem or 'clip'}{again}.mcap"


class ClipFolder:
    """A folder of clips that does not grow for ever. For one thread at a time.

    Args:
        path: The folder; made when it is needed.
        keep_last: How many clips stay: the newest by their names.
        most_bytes: What they may take together.
    """

    def __init__(self, path: str | os.PathLike[str], keep_last: int, most_bytes: int) -> None:
        self.path = Path(path)
        self._keep_last, self._most_bytes = keep_last, most_bytes

    def free(self, name: str, when: float, reserved: Container[Path] = ()) -> Path:
        """A path in it that is no file's and is not taken, for a clip to come.

        Raises:
            RecordingError: the folder can't be made.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RecordingError(
                f"{self.path}: no folder for clips can be made here: {error.strerror}: give"
                " another one"
            ) from error
        count = 1
        while True:
            path = self.path / file_name(name, when, count)
            if path not in reserved and not os.path.lexists(path):
                return path
            count += 1

    @property
    def clips(self) -> list[Path]:
        """The triggers' clips in it, oldest first."""
        try:
            names = os.listdir(self.path)
        except OSError:
            return []
        found = [(match, name) for name in names if (match := _OWN.fullmatch(name))]
        found.sort(key=lambda one: (one[0][1], int(one[0][2] or 1), one[1]))
        return [self.path / name for _, name in found]

    def prune(self, never: Container[Path] = ()) -> list[Path]:
        """Remove what is too many or too much, oldest first; returns what was removed.

        Args:
            keep: Those that stay in any case, as the newest does.
        """
        clips, sizes = self.clips, dict[Path, int]()
        for path in clips:
            with suppress(OSError):
                sizes[path] = path.stat().st_size
        remaining = [path for path in clips if path in sizes]
        count, total = len(remaining), sum(sizes.values())
        removed = []
        for path in remaining[:-1]:
            if count <= self._keep_last and total <= self._most_bytes:
                break
            if path in never:
                continue
            try:
                path.unlink(missing_ok=True)
            except OSError:  # another program has it open, or it is not ours: try the next one
                continue
            removed.append(path)
            count, total = count - 1, total - sizes[path]
        return removed
