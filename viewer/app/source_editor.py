"""Opens a source file at a line in the user's editor."""

import os
import shlex
import shutil
from pathlib import Path

from ...errors import CommandError
from ..state.settings import ViewerSettings
from ..state.source_lines import find_source, folder_of
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
        """The words of the command for a line of a file.

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
        try:
            return find_source(file, self._settings.paths)
        except CommandError:
            if not file:
                raise
        folder = folder_of(file)
        raise CommandError(
            f"{file} is not on this machine: say in {self._settings.path} where its folder is,"
            f' under [paths]: "{folder}" = "/my/folder"'
        )
