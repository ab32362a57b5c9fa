"""Evaluates an expression for many objects in many frames at once, in columns.

A column has a row for each frame and a place for each object. Where a value is not recorded the
result is unknown, as in SQL: `False and unknown` is false, `True or unknown` is true.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import CommandError

Array = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]

_COMPARE: dict[str, Callable[[Array, Array], Array]] = {
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
    "==": np.equal, "!=": np.not_equal,
}  # fmt: skip
_ARITHMETIC: dict[str, Callable[[Array, Array], Array]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "%": np.mod,
}  # fmt: skip


class Column(NamedTuple):
    """Numbers, truths, vectors, or texts."""

    values: Array
    """(frames, objects), or 1 in place of either; (…, parts) of a vector; of texts, numbers that
    stand for them."""
    known: Mask
    """(frames, objects), or 1 in place of either."""
    texts: Sequence[str] | None = None
    """What the numbers stand for, if these are texts."""

    @property
    def is_text(self) -> bool:
        return self.texts is not None

    @property
    def parts(self) -> int:
        """How many numbers a value has; 1 of what is no vector."""
        return self.values.shape[2] if self.values.ndim == 3 else 1


def constant(value: float | str | bool) -> Column:
    """A column with one value, the same for all objects in all frames."""
    known = np.ones((1, 1), np.bool_)
    if isinstance(value, str):
        return Column(np.zeros((1, 1), np.int64), known, [value])
    return Column(np.full((1, 1), float(value)), known)


def truth(column: Column, text: str) -> Column:
    """A column as true or false.

    Raises:
        CommandError: it is of texts or vectors.
    """
    if column.is_text or column.parts > 1:
        raise CommandError(
            f"find: {text} is {_kind(column)}, neither true nor false: compare it, as in"
            f" {text} == {'...' if column.is_text else '0'}"
        )
    return Column(column.values != 0, column.known)


def compared(operator: str, left: Column, right: Column, text: str) -> Column:
    """A comparison.

    Raises:
        CommandError: one is a vector, or one a text and the other a number.
    """
    _no_vector(left, text)
    _no_vector(right, text)
    known = left.known & right.known
    if left.is_text != right.is_text:
        if known.any():
            raise CommandError(f"find: {text} compares a text with a number: they never agree")
        return Column(np.zeros(known.shape, np.bool_), known)
    if left.texts is not None and right.texts is not None:
        left, right = _of_one_table(left, right, ordered=operator not in ("==", "!="))
    return Column(_COMPARE[operator](left.values, right.values), known)


def calculated(operator: str, left: Column, right: Column, text: str) -> Column:
    """Arithmetic with numbers; what divides by zero is unknown.

    Raises:
        CommandError: one is a text or a vector.
    """
    for column in (left, right):
        _no_vector(column, text)
        if column.is_text:
            raise CommandError(f"find: {text} calculates with a text")
    known = left.known & right.known
    with np.errstate(all="ignore"):
        values = _ARITHMETIC[operator](
            left.values.astype(np.float64), right.values.astype(np.float64)
        )
    return Column(values, known & np.isfinite(values))


def conjunction(columns: Sequence[Column]) -> Column:
    """`and`: false where any is false, else unknown where any is unknown."""
    false = _any([~one.values & one.known for one in columns])
    known = _all([one.known for one in columns])
    return Column(_all([one.values & one.known for one in columns]), known | false)


def disjunction(columns: Sequence[Column]) -> Column:
    """`or`: true where any is true, else unknown where any is unknown."""
    true = _any([one.values & one.known for one in columns])
    return Column(true, _all([one.known for one in columns]) | true)


def previous(column: Column, frames: int) -> Column:
    """The value in the frame before; unknown in the first."""
    column = _in_each(column, frames)
    return Column(np.roll(column.values, 1, axis=0), _shifted(column.known), column.texts)


def changed(column: Column, frames: int) -> Column:
    """Where the value is another one than in the frame before."""
    values, known, _ = _in_each(column, frames)
    before = np.roll(values, 1, axis=0)
    differs = values != before
    if values.dtype.kind == "f":
        differs &= ~(np.isnan(values) & np.isnan(before))
    if differs.ndim == 3:
        differs = differs.any(axis=2)
    return Column(differs, known & _shifted(known))


def norm(column: Column, text: str) -> Column:
    """The length of a vector; of a number its absolute value.

    Raises:
        CommandError: it is of texts.
    """
    if column.is_text:
        raise CommandError(f"find: {text} measures a text")
    values = column.values.astype(np.float64)
    if values.ndim == 2:
        return Column(np.abs(values), column.known)
    return Column(np.sqrt((values * values).sum(axis=2)), column.known)


def _no_vector(column: Column, text: str) -> None:
    if column.parts > 1:
        raise CommandError(
            f"find: {text} takes a vector of {column.parts} parts for a number: say which part, as"
            " in velocity.x, or norm(velocity)"
        )


def _kind(column: Column) -> str:
    return "a text" if column.is_text else f"a vector of {column.parts} parts"


def _of_one_table(left: Column, right: Column, *, ordered: bool) -> tuple[Column, Column]:
    """Two columns of texts whose numbers stand for the same texts, in their order if need be."""
    table: list[str] = list(dict.fromkeys((*(left.texts or ()), *(right.texts or ()))))
    if ordered:
        table.sort()
    index = {text: at for at, text in enumerate(table)}

    def renumbered(column: Column) -> Column:
        numbers = np.array([index[text] for text in column.texts or ()], np.int64)
        return Column(numbers[column.values], column.known, table)

    return renumbered(left), renumbered(right)


def _in_each(column: Column, frames: int) -> Column:
    """A column with a row for each frame."""
    return column._replace(
        values=np.broadcast_to(column.values, (frames, *column.values.shape[1:])),
        known=np.broadcast_to(column.known, (frames, column.known.shape[1])),
    )


def _shifted(known: Mask) -> Mask:
    before = np.roll(known, 1, axis=0)
    before[0] = False
    return before


def _all(masks: Sequence[Array]) -> Mask:
    result = masks[0]
    for one in masks[1:]:
        result = result & one
    return np.asarray(result, np.bool_)


def _any(masks: Sequence[Array]) -> Mask:
    result = masks[0]
    for one in masks[1:]:
        result = result | one
    return np.asarray(result, np.bool_)
