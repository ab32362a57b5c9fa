"""Exports a recording as Parquet files, which pandas, Polars, DuckDB and Spark read."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ...recorder.reading.frame_source import FrameSource
from ...recorder.saving.atomic_file import new_folder
from ..recording import Recording
from ..recording_damage import DamageLog
from ..tables import table_builder
from ..tables.recording_table import RecordingTable, library

FRAMES_AT_ONCE = 500
"""Frames whose objects are in memory together."""
_MOST_NAME = 100
"""Characters of a file's name that come from a type's."""


def export_parquet(
    source: FrameSource, folder: Path, first: int, last: int, *, overwrite: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> list[Path]:  # fmt: skip
    """Write the frames from `first` to `last` as Parquet files; returns these.

    There is a file for each table of `Recording.table`, and for `objects` one for each type, since
    types have different columns: `objects-guard.parquet`. Objects are read 500 frames at a time.

    Raises:
        ModuleNotFoundError: pyarrow is not installed; the message says how to install it.
        RecordingError: the folder is there already, or can't be written.
    """
    writer = library("pyarrow.parquet")
    recording = Recording(source, str(folder))
    with new_folder(folder, overwrite=overwrite, is_own=_is_table) as part:
        for name in table_builder.NAMES:
            if name != "objects":
                table = recording.table(name, first=first, last=last)
                writer.write_table(table.to_arrow(), part / f"{name}.parquet")
        _write_objects(source, part, first, last, progress)
        names = sorted(one.name for one in part.iterdir())
    return [folder / name for name in names]


def _write_objects(
    source: FrameSource, folder: Path, first: int, last: int,
    progress: Callable[[int, int], object] | None,
) -> None:  # fmt: skip
    files = _ObjectFiles(folder)
    damage = DamageLog(str(folder))
    begins = range(first, last + 1, FRAMES_AT_ONCE)
    for number, begin in enumerate(begins):
        end = min(begin + FRAMES_AT_ONCE - 1, last)
        for type, table in table_builder.object_tables(source, begin, end, damage).items():
            files.add(type, table)
        if progress is not None:
            progress(number + 1, len(begins))
    files.join()


class _ObjectFiles:
    """Objects by type: a file for each stretch of frames first, which are then made one.

    A type's columns may change within a recording, and all of them are known only at its end.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._parquet = library("pyarrow.parquet")
        self._parts: dict[str, list[Path]] = {}
        self._count = 0

    def add(self, type: str, objects: RecordingTable) -> None:
        """Write the objects of a type in a stretch of frames."""
        path = self._folder / f"part-{self._count}"
        self._count += 1
        self._parquet.write_table(objects.to_arrow(), path)
        self._parts.setdefault(type, []).append(path)

    def join(self) -> None:
        """Make one file for each type."""
        arrow = library("pyarrow")
        for type, name in _file_names(list(self._parts)).items():
            parts = self._parts[type]
            schema = arrow.unify_schemas(
                [self._parquet.read_schema(part) for part in parts], promote_options="permissive"
            )
            with self._parquet.ParquetWriter(self._folder / f"{name}.parquet", schema) as joined:
                for part in parts:
                    table = arrow.concat_tables(
                        [schema.empty_table(), self._parquet.read_table(part)],
                        promote_options="permissive",
                    )
                    joined.write_table(table.select(schema.names).cast(schema))
                    part.unlink()


def _file_names(types: Sequence[str]) -> dict[str, str]:
    """A file name for each type: plain letters, and no two alike, in any case."""
    names: dict[str, str] = {}
    for type in types:
        plain = "".join(one if one.isalnum() or one in "-_." else "_" for one in type)
        name = f"objects-{plain[:_MOST_NAME]}"
        taken = {one.lower() for one in names.values()}
        names[type] = next(
            one for one in _numbered(name) if one.lower() not in taken
        )  # fmt: skip
    return names


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}-{number}"
        number += 1


def _is_table(path: Path) -> bool:
    return path.suffix == ".parquet" and path.is_file()
