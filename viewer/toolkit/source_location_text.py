"""Formats the file and line of a statement in the game's source."""

from pathlib import PureWindowsPath


def source_location(file: str, line: int) -> str:
    """`guard.py:12` for a file's full path; empty without a file."""
    # The path may come from another operating system; this class takes both slashes.
    return f"{PureWindowsPath(file).name}:{line}" if file else ""
