"""Puts what readers found of single objects into columns for many objects at once."""

import numpy as np

from ...errors import CommandError
from .column_operations import Column
from .expression_name_readers import ObjectValues


def column_of(
    rows: list[ObjectValues], frames: int, ids: list[int], name: str, *, alone: bool
) -> Column:
    """The values of a term; of one other object, a column that goes with every object."""
    indexes = {id: index for index, id in enumerate(ids)}
    width = 1 if alone else len(ids)
    known = np.zeros((frames, width), np.bool_)
    if any(row.texts is not None for row in rows):
        table: dict[str, int] = {}
        texts = np.zeros((frames, width), np.int64)
        for row in rows:
            index = 0 if alone else indexes.get(row.object)
            if index is None or row.texts is None:
                continue
            numbers = np.array([table.setdefault(text, len(table)) for text in row.texts], np.int64)
            texts[row.rows, index] = numbers[row.values]
            known[row.rows, index] = True
        return _world_goes_along(Column(texts, known, list(table)), indexes)
    shapes = {np.shape(row.values)[1:] for row in rows}
    if len(shapes) > 1:
        raise CommandError(
            f"find: {name} is of several shapes: say whose, as in type.{name}, or which part"
        )
    shape = next(iter(shapes), ())
    if len(shape) > 1:
        raise CommandError(f"find: {name} has parts of parts: say which, as in {name}[0][0]")
    values = np.zeros((frames, width, *shape), np.float64)
    for row in rows:
        index = 0 if alone else indexes.get(row.object)
        if index is not None:
            values[row.rows, index] = row.values
            known[row.rows, index] = True
    return _world_goes_along(Column(values, known), indexes)


def _world_goes_along(column: Column, indexes: dict[int, int]) -> Column:
    """What is known of the world alone holds for every object that has no such value itself."""
    world = indexes.get(0)
    if world is None or len(indexes) < 2 or column.known.shape[1] != len(indexes):
        return column
    others = ~column.known & column.known[:, world : world + 1]
    if not others.any() or column.known[:, [at for at in indexes.values() if at != world]].any():
        return column
    values = column.values.copy()
    values[others] = np.broadcast_to(values[:, world : world + 1], values.shape)[others]
    return Column(values, column.known | others, column.texts)
