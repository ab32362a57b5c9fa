"""Reading a number field of many objects into a column."""

from types import SimpleNamespace

import numpy as np
import pytest

from playhead.native._ring import gather_floats


def things(*values):
    return [SimpleNamespace(value=value) for value in values]


def test_numbers_land_in_their_rows_also_of_a_packed_record():
    table = np.zeros(3, [("flag", "u1"), ("value", "<f8"), ("at", "<f8", 3)])
    gather_floats(things(1.5, 2, np.float32(0.5)), "value", table["value"])
    gather_floats(things((1, 2, 3), [4.0, 5.0, 6.0], np.ones(3)), "value", table["at"])
    assert table["value"].tolist() == [1.5, 2.0, 0.5]
    assert table["at"].tolist() == [[1, 2, 3], [4, 5, 6], [1, 1, 1]]
    assert table["flag"].tolist() == [0, 0, 0]


@pytest.mark.parametrize("value", ["text", None, (1.0, 2.0), object()])
def test_what_is_no_number_raises(value):
    with pytest.raises(TypeError):
        gather_floats(things(1.0, value), "value", np.zeros(2))


@pytest.mark.parametrize(
    ("value", "error"),
    [(5.0, TypeError), ((1, 2), ValueError), ((1, 2, 3, 4), ValueError), ((1, 2, "x"), TypeError)],
)
def test_what_is_no_such_vector_raises(value, error):
    with pytest.raises(error):
        gather_floats(things((1, 2, 3), value), "value", np.zeros((2, 3)))


def test_a_missing_field_raises():
    with pytest.raises(AttributeError, match="speed"):
        gather_floats(things(1.0), "speed", np.zeros(1))


@pytest.mark.parametrize(
    "into", [np.zeros(2, np.float32), np.zeros((2, 2, 2)), np.zeros(2, ">f8"), [0.0, 0.0]]
)
def test_only_a_float64_column_is_written(into):
    with pytest.raises(TypeError, match="float64|gather_floats"):
        gather_floats(things(1.0, 2.0), "value", into)


def test_a_read_only_or_too_short_column_is_refused():
    column = np.zeros(1)
    with pytest.raises(ValueError, match="2 objects for 1 rows"):
        gather_floats(things(1.0, 2.0), "value", column)
    column.flags.writeable = False
    with pytest.raises(TypeError, match="writable"):
        gather_floats(things(1.0), "value", column)


def test_an_attribute_that_shrinks_the_list_does_no_harm():
    class Sly:
        @property
        def value(self):
            rows.clear()
            return 1.0

    rows: list = [Sly(), Sly(), Sly()]
    column = np.full(3, -1.0)
    gather_floats(rows, "value", column)
    assert column.tolist() == [1.0, -1.0, -1.0]
