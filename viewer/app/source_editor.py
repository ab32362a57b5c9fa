"""Opens a source file at a line in the user's editor."""

import os
import shlex
import shutil
from pathlib import Path, PurePosixPath, PureWindowsPath

from ...errors import CommandError
from ..state.settings import ViewerSettings
from ..toolkit.qt import QProcess


class SourceEditor:
    """Runs the command that the settings name, by default `code -g {file}:{line}`."""

    def __init__(self, settings: ViewerSettings) -> None:
        self._settings = settings

    def open(self, file: str, line: int) -> str:
        """Have the editor show a line; returns what was done, to be read.

        Args:
            file: As the recording names it.
            line: Counted from 1; 0 for nowhere in particular.

        Raises:
            CommandError: the file is not on this machine, or the command can't be run; says what
                to set.
        """
        path = self.find(file)
        program, *arguments = self.command(path, line)
        found = shutil.which(program)
        if found is None:
            raise CommandError(
                f'the editor {program!r} is not installed: set editor = "… {{file}}:{{line}}" in'
                f" {self._settings.path}, or PLAYHEAD_EDITOR"
            )
        started, _ = QProcess.startDetached(found, arguments, str(path.parent))
        if not started:
            raise CommandError(
                f"the editor {found} could not be started: look at editor in {self._settings.path}"
            )
        return f"Opened {path.name}:{line} with {Path(found).stem}"

    def command(self, path: Path, line: int) -> list[str]:
        """The words of the command for a place.

        Raises:
            CommandError: the setting is no command.
        """
        template = self._settings.editor
        try:
            # Backslashes are part of Windows' paths, and quotes alone hold words together there.
            words = shlex.split(template, posix=os.name != "nt")
        except ValueError as error:
            raise CommandError(f"editor = {template!r} is no command: {error}") from None
        if not words:
            raise CommandError("editor is empty: name the command that opens {file}")
        if not any("{file}" in word for word in words):
            words.append("{file}")
        filled = [
            word.replace("{line}", str(max(line, 1))).replace("{file}", str(path))
            for word in words
        ]  # fmt: skip
        return [word.strip('"') for word in filled] if os.name == "nt" else filled

    def find(self, file: str) -> Path:
        """A recording's file on this machine.

        Raises:
            CommandError: it is not here; says how folders are mapped.
        """
        if not file:
            raise CommandError("the recording does not say which file this comes from")
        path = Path(file)
        if path.is_file():
            return path.absolute()
        for there, here in sorted(
            self._settings.paths.items(), key=lambda pair: len(pair[0]), reverse=True
        ):
            rest = _below(file, there)
            if rest is not None and (mapped := Path(here).expanduser() / rest).is_file():
                return mapped.absolute()
        folder = _parent(file)
        raise CommandError(
            f"{file} is not on this machine: say in {self._settings.path} where its folder is,"
            f' under [paths]: "{folder}" = "/my/folder"'
        )


def _pure(file: str) -> PurePosixPath | PureWindowsPath:
    """A path of whatever system the game ran on."""
    windows = "\\" in file or file[1:2] == ":"
    return PureWindowsPath(file) if windows else PurePosixPath(file)


def _parent(file: str) -> str:
    return _pure(file).parent.as_posix()


def _below(file: str, folder: str) -> Path | None:
    """The way from a folder to a file in it; None if it is not in it."""
    path, root = _pure(file), _pure(folder)
    if type(path) is not type(root):
        root = type(path)(folder)
    try:
        parts = path.relative_to(root).parts
    except ValueError:
        return None
    # What comes from a recording must not lead out of the folder that the person named.
    return None if ".." in parts else Path(*parts)
