"""Lines of the game's source, read where its files are on this machine."""

import stat
from collections.abc import Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath

from ...errors import CommandError

MOST_BYTES = 2_000_000
"""The largest file that is read for a line of it."""
_MOST_FILES = 32
_MOST_CHARACTERS = 300
_SUFFIXES = frozenset((
    ".py", ".pyw", ".pyi", ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".inl", ".cs", ".gd", ".js",
    ".mjs", ".ts", ".tsx", ".jsx", ".lua", ".rs", ".go", ".java", ".kt", ".swift", ".m", ".mm",
    ".nut", ".rb", ".as", ".usf", ".hlsl", ".glsl", ".zs", ".acs",
))  # fmt: skip
"""Files that are source: a recording from another person may name any file."""


def find_source(file: str, paths: Mapping[str, str]) -> Path:
    """A recording's file on this machine.

    Args:
        file: As the recording names it.
        paths: Folders of this machine, by those that recordings name instead.

    Raises:
        CommandError: the file is not here.
    """
    if not file:
        raise CommandError("the recording does not say which file this comes from")
    path = Path(file)
    if _is_file(path):
        return path.absolute()
    for there, here in sorted(paths.items(), key=lambda pair: len(pair[0]), reverse=True):
        rest = _below(file, there)
        if rest is not None and _is_file(mapped := Path(here).expanduser() / rest):
            return mapped.absolute()
    raise CommandError(f"{file} is not on this machine")


class SourceLines:
    """Reads single lines; a file is looked at again when it has changed.

    Only what is called like a source file, is an ordinary file and not too long is ever opened, and
    no path of another machine (`\\\\server\\share`): that could reveal the user to that machine.

    Args:
        paths: See `find_source`.
    """

    def __init__(self, paths: Mapping[str, str]) -> None:
        self._paths = paths
        self._files: dict[str, tuple[object, list[str]]] = {}

    def line(self, file: str, number: int) -> str:
        """A line, counted from 1, without blanks at its ends; empty if it can't be read."""
        if number < 1 or not file or file.startswith(("\\\\", "//")):
            return ""
        try:
            lines = self._lines(file)
        except (CommandError, OSError, ValueError):
            return ""
        return lines[number - 1].strip()[:_MOST_CHARACTERS] if number <= len(lines) else ""

    def _lines(self, file: str) -> list[str]:
        path = find_source(file, self._paths)
        if path.suffix.lower() not in _SUFFIXES or path.resolve().suffix.lower() not in _SUFFIXES:
            return []
        state = path.stat()
        as_of = state.st_mtime_ns, state.st_size, path
        known = self._files.get(file)
        if known is None or known[0] != as_of:
            lines: list[str] = []
            if stat.S_ISREG(state.st_mode) and state.st_size <= MOST_BYTES:
                lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            while len(self._files) >= _MOST_FILES:
                del self._files[next(iter(self._files))]
            known = self._files[file] = as_of, lines
        return known[1]


def folder_of(file: str) -> str:
    """The folder that a recording's file is in, on whatever system the game ran."""
    return _pure(file).parent.as_posix()


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file of this system can have
        return False


def _pure(file: str) -> PurePosixPath | PureWindowsPath:
    """A path of whatever system the game ran on."""
    windows = "\\" in file or file[1:2] == ":"
    return PureWindowsPath(file) if windows else PurePosixPath(file)


def _below(file: str, folder: str) -> Path | None:
    """The way from a folder to a file in it; None if it is not in it."""
    path, root = _pure(file), _pure(folder)
    if type(path) is not type(root):
        root = type(path)(folder)
    try:
        parts = path.relative_to(root).parts
    except ValueError:
        return None
    # What comes from a recording must not lead out of the folder that the user named.
    return None if ".." in parts else Path(*parts)
