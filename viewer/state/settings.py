"""Settings of all windows, in a small file that a user can edit."""

import os
import re
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import CommandError
from ..toolkit.palette import THEMES, is_color

FILE = "viewer.toml"
_TABLES = ("paths", "keys", "colors")
_SECONDS = re.compile(r"\d{1,5}(\.\d+)?")
_PERCENT = re.compile(r"[1-9]\d{1,2}")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
DEFAULTS = {
    "editor": "code -g {file}:{line}", "time": "clock", "layout": "AI", "wait": "5",
    "theme": "dark", "text_size": "100",
}  # fmt: skip
"""The defaults."""


def folder(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """Where a user's settings are on this system; `PLAYHEAD_CONFIG` names another folder."""
    own = environment.get("PLAYHEAD_CONFIG")
    if own:
        return Path(own)
    if platform == "win32" and environment.get("APPDATA"):
        return Path(environment["APPDATA"]) / "playhead"
    if platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "playhead"
    base = environment.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "playhead"


class ViewerSettings:
    """What `viewer.toml` says, and the defaults for the rest.

    A file that can't be read or makes no sense is left as it is: `errors` says what is wrong with
    it, and nothing is written to it until it is mended. Comments and what this version does not
    know stay when a setting is changed.

    Args:
        home: The folder of the file; it need not be there.
    """

    def __init__(self, home: Path | None = None) -> None:
        self.path = (home or folder()) / FILE
        self.errors: list[str] = []
        """What is wrong with the file, in lines to be read."""
        self._broken = False
        self._values = dict(DEFAULTS)
        self._tables: dict[str, dict[str, str]] = {name: {} for name in _TABLES}
        self._read()

    def _read(self) -> None:
        text = self._text()
        if text is None:
            return
        try:
            found = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            self._broken = True
            self.errors.append(f"{self.path}: {error}; mend it, until then the defaults hold")
            return
        for name, value in found.items():
            if name in _TABLES and isinstance(value, dict):
                self._take_table(name, value)
            elif name in DEFAULTS and isinstance(value, str) and value.strip():
                self._take(name, value)
            elif name in DEFAULTS or name in _TABLES:
                self._complain(name, value)

    def _take(self, name: str, value: str) -> None:
        if name == "wait" and not _SECONDS.fullmatch(value.strip()):
            self.errors.append(
                f'{self.path}: wait = {value!r} should be seconds such as "5"; it is left out'
            )
        elif name == "theme" and value not in THEMES:
            self.errors.append(
                f"{self.path}: theme = {value!r} should be {' or '.join(THEMES)}; it is left out"
            )
        elif name == "text_size" and not _PERCENT.fullmatch(value):
            self.errors.append(
                f'{self.path}: text_size = {value!r} should be percents such as "125"; it is left'
                " out"
            )
        else:
            self._values[name] = value

    def _take_table(self, name: str, table: Mapping[str, Any]) -> None:
        for key, value in table.items():
            if not isinstance(value, str) or (name == "colors" and not is_color(value.lower())):
                self._complain(f"{name}.{key}", value)
            else:
                self._tables[name][key] = value

    def _complain(self, name: str, value: object) -> None:
        kind = "a table" if name in _TABLES else "a text in quotes"
        if name.startswith("colors."):
            kind = 'a colour such as "#36908b"'
        self.errors.append(f"{self.path}: {name} = {value!r} should be {kind}; it is left out")

    def _text(self) -> str | None:
        try:
            return self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            self._broken = True
            self.errors.append(f"{self.path} can't be read: {error}; the defaults hold")
            return None

    # --- what is set ----------------------------------------------------------------------------

    @property
    def editor(self) -> str:
        """The command that opens a source file: with `{file}` and `{line}` in it."""
        return os.environ.get("PLAYHEAD_EDITOR") or self._values["editor"]

    @property
    def time(self) -> str:
        """The time format: a `TimeUnit`."""
        return self._values["time"]

    @property
    def layout(self) -> str:
        """The layout that a window opens with if there is no last one."""
        return self._values["layout"]

    @property
    def theme(self) -> str:
        """One of the palette's `THEMES`."""
        return self._values["theme"]

    @property
    def text_size(self) -> float:
        """The text size, as a share of the usual one."""
        return int(self._values["text_size"]) / 100

    @property
    def wait(self) -> float:
        """Seconds that a picture waits for a game that is not there."""
        return float(self._values["wait"])

    @property
    def paths(self) -> Mapping[str, str]:
        """Folders of this machine, by those that recordings name instead."""
        return self._tables["paths"]

    @property
    def keys(self) -> Mapping[str, str]:
        """Keys by what they do, where they are not the default."""
        return self._tables["keys"]

    @property
    def colors(self) -> Mapping[str, str]:
        """Colours of states, `#rrggbb` by their names in small letters; see `palette`."""
        return {name.lower(): value.lower() for name, value in self._tables["colors"].items()}

    def set_color(self, state: str, color: str) -> None:
        """Give a state a colour; its usual one if the colour is empty.

        Raises:
            CommandError: see `set`.
        """
        known = [name for name in self._tables["colors"] if name.lower() == state.lower()]
        for name in known or [state.lower()]:
            if color or name in self._tables["colors"]:
                self.set(name, color or None, "colors")

    def set(self, name: str, value: str | None, table: str = "") -> None:
        """Change a setting, in the file, too; None for the default.

        Raises:
            CommandError: the file can't be read or written. It is as it was.
        """
        if self._broken:
            raise CommandError(
                f"not saved: {self.path} can't be understood; mend it or move it away first"
            )
        text = self._text() or ""
        changed = _edited(text, table, name, value)
        if not _differs_only_in(text, changed, table, name, value):
            raise CommandError(
                f"not saved: {name} could not be set in {self.path} without touching the rest;"
                " set it by hand there"
            )
        write_whole(self.path, changed)
        if table:
            self._tables[table].pop(name, None)
            if value is not None:
                self._tables[table][name] = value
        else:
            self._values[name] = DEFAULTS[name] if value is None else value


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is either the old one or the new one, never half of it.

    Raises:
        CommandError: it can't be written.
    """
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, encoding="utf-8")
        # A settings file that is a link to elsewhere stays one.
        beside.replace(path.resolve())
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise CommandError(f"{path} can't be written: {error}") from None


def _edited(text: str, table: str, name: str, value: str | None) -> str:
    """The text with one line changed, added or taken out; all others as they are."""
    # Not `splitlines`, which knows more ends of lines than TOML does.
    lines = text.removesuffix("\n").split("\n") if text else []
    start, end = _table_lines(lines, table)
    fresh = [] if value is None else [f"{_quoted(name, bare=True)} = {_quoted(value)}"]
    if start is None:
        return text if value is None else "\n".join([*lines, f"[{table}]", *fresh, ""])
    for at in range(start, end):
        if _name_of(lines[at]) == name:
            return "\n".join([*lines[:at], *fresh, *lines[at + 1 :], ""])
    while end > start and not lines[end - 1].strip():
        end -= 1
    return "\n".join([*lines[:end], *fresh, *lines[end:], ""])


def _table_lines(lines: list[str], table: str) -> tuple[int | None, int]:
    """The first line of a table, and the one after its last; None if it is not there."""
    heads = [at for at, line in enumerate(lines) if line.lstrip().startswith("[")]
    if not table:
        return 0, heads[0] if heads else len(lines)
    for number, at in enumerate(heads):
        if lines[at].partition("#")[0].strip() == f"[{table}]":
            return at + 1, heads[number + 1] if number + 1 < len(heads) else len(lines)
    return None, len(lines)


def _name_of(line: str) -> str:
    """The name that a line sets; empty if it sets none."""
    try:
        names = list(tomllib.loads(line))
    except tomllib.TOMLDecodeError:
        return ""
    return names[0] if len(names) == 1 else ""


def _quoted(text: str, *, bare: bool = False) -> str:
    if bare and _BARE.fullmatch(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda one: f"\\u{ord(one[0]):04x}", escaped) + '"'


def _differs_only_in(before: str, after: str, table: str, name: str, value: str | None) -> bool:
    """Whether nothing but this setting has changed; several lines for one value would break it."""
    try:
        old, new = tomllib.loads(before), tomllib.loads(after)
    except tomllib.TOMLDecodeError:
        return False
    section = old.setdefault(table, {}) if table else old
    if not isinstance(section, dict):
        return False
    if value is None:
        section.pop(name, None)
    else:
        section[name] = value
    if table:
        new.setdefault(table, {})
    return old == new
