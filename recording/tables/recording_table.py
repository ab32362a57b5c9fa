"""A table of a recording: columns of equal length, and the ways into other libraries."""

import csv
import json
import os
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from ...installation import extra_with, install_line
from ...recorder.saving.csv_export import CsvWriter, cell
from ...recorder.text.name_hint import name_hint

Column = npt.NDArray[Any]


class RecordingTable:
    """Rows of a recording, by columns.

    `table["time"]` is a column as a numpy array; iterating gives a dict for each row.
    """

    def __init__(self, name: str, columns: Mapping[str, Column]) -> None:
        self.name = name
        self._columns = dict(columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __getitem__(self, column: str) -> Column:
        """A column.

        Raises:
            KeyError: there is none of that name; the message lists those that there are.
        """
        try:
            return self._columns[column]
        except KeyError:
            raise KeyError(
                f"table {self.name!r} has no column {column!r}: {name_hint(column, self._columns)}"
            ) from None

    def __contains__(self, column: object) -> bool:
        return column in self._columns

    def __iter__(self) -> Iterator[dict[str, Any]]:
        names = list(self._columns)
        lists = [column.tolist() for column in self._columns.values()]
        for row in zip(*lists, strict=True):
            yield dict(zip(names, row, strict=True))

    def __repr__(self) -> str:
        return f"<table {self.name!r}: {len(self):,} rows of {', '.join(self._columns)}>"

    def to_pandas(self) -> Any:
        """The table as a `pandas.DataFrame`.

        Raises:
            ModuleNotFoundError: pandas is not installed; the message says how to install it.
        """
        pandas = library("pandas")
        return pandas.DataFrame({name: _plain(column) for name, column in self._columns.items()})

    def to_arrow(self) -> Any:
        """The table as a `pyarrow.Table`; lists and dicts in it become JSON text.

        Raises:
            ModuleNotFoundError: pyarrow is not installed; the message says how to install it.
        """
        arrow = library("pyarrow")
        return arrow.table({name: _flat(column) for name, column in self._columns.items()})

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write the table as a Parquet file.

        Raises:
            ModuleNotFoundError: pyarrow is not installed; the message says how to install it.
            OSError: the file can't be written.
        """
        table = self.to_arrow()
        library("pyarrow.parquet").write_table(table, os.fspath(path))

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the table as a CSV file, which nothing but Python is needed for.

        Raises:
            OSError: the file can't be written.
        """
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = CsvWriter(csv.writer(file, lineterminator="\n"))
            writer.writerow(self._columns)
            for row in zip(*(column.tolist() for column in self._columns.values()), strict=True):
                writer.writerow("" if value is None else cell(value) for value in row)


def column_of(values: list[Any]) -> Column:
    """Values as a column: numbers, truths and texts as numpy has them, all else as objects."""
    kinds = {type(value) for value in values}
    if kinds <= {bool}:
        return np.array(values, np.bool_)
    if kinds <= {int} and all(-(2**63) <= value < 2**63 for value in values):
        return np.array(values, np.int64)
    if kinds <= {int, float, type(None)} and float in kinds:
        return np.array([np.nan if value is None else value for value in values], np.float64)
    if kinds <= {str} and all("\0" not in value[-1:] for value in values):
        return np.array(values, np.str_) if values else np.empty(0, np.str_)
    column = np.empty(len(values), object)
    column[:] = values
    return column


def _plain(column: Column) -> Any:
    return column.astype(object) if column.dtype.kind == "U" else column


def _flat(column: Column) -> Any:
    """A column as Arrow takes it."""
    if column.dtype.kind == "U":
        return column.tolist()
    if column.dtype.kind != "O":
        return column
    values = column.tolist()
    if len({type(value) for value in values if value is not None}) <= 1 and not any(
        isinstance(value, list | dict | tuple | np.ndarray) for value in values
    ):
        return values
    return [None if value is None else _json(value) for value in values]


def _json(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return json.dumps(msgspec.to_builtins(value), ensure_ascii=False, default=str)


def library(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        top = name.partition(".")[0]
        if (error.name or "").partition(".")[0] != top:
            raise
        how = install_line(extra_with(top) or "tables")
        raise ModuleNotFoundError(
            f"{top} is not installed, and this table is to become one of its own: {how}", name=top
        ) from None
