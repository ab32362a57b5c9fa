"""Many packets of one type in one call, from numpy columns."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from playhead.errors import RecordingError

from .rings import record_frame, ring_of


def recorded_batch(**columns: Any) -> list[Any]:
    """The packets that come back for a batch recorded with these columns."""
    ring = ring_of(1 << 16)
    ring.begin()
    assert ring.record_batch(3, columns.pop("ids"), columns.pop("positions"), **columns)
    ring.commit(0.0, 0.0)
    assert ring.verify(1)
    return ring.packets(1)


def test_a_batch_is_what_its_rows_recorded_one_by_one_are() -> None:
    chance = np.random.default_rng(5)
    for size in (0, 1, 8, 13, 511, 512, 513, 600):
        n = 20
        positions = chance.normal(size=(n, 3)).astype(np.float32)
        angles = chance.normal(size=(n, 3)).astype(np.float32)
        targetable = chance.random(n) < 0.5
        payload = chance.integers(0, 256, (n, size), np.uint8)
        ring = ring_of(1 << 16)
        ring.begin()
        ring.record_batch(3, np.arange(n), positions, angles, targetable, payload, None, 5)
        ring.commit(0.0, 0.0)
        ring.begin()
        for i in range(n):
            row = (bool(targetable[i]), positions[i].tolist(), angles[i].tolist(), payload[i])
            ring.record(i, 3, *row, 5)
        ring.commit(0.0, 0.0)
        assert ring.packets(1) == ring.packets(2)
        assert ring.verify(1)
        assert ring.verify(2)


def test_positions_in_double_precision_are_narrowed() -> None:
    wide = np.random.default_rng(1).normal(size=(9, 3)) * 1e3
    got = recorded_batch(ids=np.arange(9), positions=wide, angles=-wide)
    assert [packet[4] for packet in got] == [tuple(row) for row in wide.astype("f4").tolist()]
    assert [packet[5] for packet in got] == [tuple(row) for row in (-wide).astype("f4").tolist()]


def test_columns_of_any_stride_are_read_as_numpy_reads_them() -> None:
    table = np.random.default_rng(2).normal(size=(40, 7)).astype(np.float32)
    ids = np.arange(100, 140, dtype=np.int64)
    bits = np.arange(40) % 3 == 0
    payload = np.arange(40 * 16, dtype=np.uint8).reshape(40, 16)
    record = np.zeros(40, [("id", "<u8"), ("at", "<f4", 3), ("name", "S5")])
    record["id"], record["at"] = ids, table[:, 2:5]
    for part in (slice(None, None, -1), slice(None, None, 3), slice(30, 2, -2), slice(5, 6)):
        got = recorded_batch(
            ids=record["id"][part],
            positions=record["at"][part],
            angles=table[part, 1:4],
            targetable=bits[part],
            visible=~bits[part],
            payload=payload[part, 3:11],
        )
        assert [packet[0] for packet in got] == ids[part].tolist()
        assert [packet[4] for packet in got] == [tuple(row) for row in table[part, 2:5].tolist()]
        assert [packet[5] for packet in got] == [tuple(row) for row in table[part, 1:4].tolist()]
        assert [packet[2] for packet in got] == bits[part].tolist()
        assert [packet[3] == 2 for packet in got] == bits[part].tolist()
        assert [packet[8] for packet in got] == [row.tobytes() for row in payload[part, 3:11]]


def test_one_value_for_all_rows_may_be_broadcast() -> None:
    got = recorded_batch(
        ids=np.arange(5),
        positions=np.broadcast_to(np.array([1, 2, 3], np.float32), (5, 3)),
        payload=np.broadcast_to(np.arange(4, dtype="u1"), (5, 4)),
    )
    assert {packet[4] for packet in got} == {(1.0, 2.0, 3.0)}
    assert {packet[8] for packet in got} == {bytes(range(4))}


def test_payload_rows_of_any_plain_type_are_taken_as_bytes() -> None:
    record = np.zeros(3, [("O", "<f4"), ("hp", "<i2", (2, 2)), ("L", "S3")])
    record["O"], record["hp"] = [1, 2, 3], 7
    for rows in (record, np.arange(12.0).reshape(3, 2, 2), np.arange(3, dtype=">u2")):
        got = recorded_batch(ids=np.arange(3), positions=np.zeros((3, 3)), payload=rows)
        assert [packet[8] for packet in got] == [rows[i : i + 1].tobytes() for i in range(3)]


def test_read_only_columns_are_fine_and_stay_untouched() -> None:
    ids, positions = np.arange(4), np.ones((4, 3))
    payload = np.full((4, 600), 9, np.uint8)
    for column in (ids, positions, payload):
        column.flags.writeable = False
    assert len(recorded_batch(ids=ids, positions=positions, payload=payload)) == 4
    assert (payload == 9).all()


def test_a_batch_without_rows_records_nothing() -> None:
    empty = np.zeros((0, 3), np.float32)
    assert recorded_batch(ids=np.zeros(0, np.uint64), positions=empty) == []
    none = np.zeros((0, 700), np.uint8)
    assert recorded_batch(ids=np.zeros(0, np.uint64), positions=empty, payload=none) == []


N = 6
IDS, AT = np.arange(N), np.zeros((N, 3), np.float32)


@pytest.mark.parametrize(
    "columns",
    [
        {"ids": IDS.astype(np.int32)},
        {"ids": IDS.astype(np.float64)},
        {"ids": IDS.astype(">u8")},
        {"ids": IDS.astype(object)},
        {"ids": IDS.reshape(2, 3)},
        {"ids": [1, 2, 3, 4, 5, 6]},
        {"ids": np.int64(3)},
        {"ids": IDS - 3},
        {"ids": IDS.astype(np.uint64) + np.uint64(2**63)},
        {"ids": None},
        {"positions": None},
        {"positions": AT[:, :2]},
        {"positions": AT[:5]},
        {"positions": np.zeros((N, 4), np.float32)},
        {"positions": np.zeros(N * 3, np.float32)},
        {"positions": AT.astype(np.float16)},
        {"positions": AT.astype(int)},
        {"positions": AT.astype(object)},
        {"positions": AT.astype(">f4")},
        {"positions": AT.tolist()},
        {"positions": np.asfortranarray(AT)},
        {"positions": np.zeros((N, 6), np.float32)[:, ::2]},
        {"angles": AT[::2]},
        {"angles": AT.astype(complex)},
        {"angles": np.zeros((N, 6), np.float32)[:, ::-2]},
        {"targetable": np.ones(N - 1, bool)},
        {"targetable": np.ones((N, 1), bool)},
        {"targetable": np.ones(N)},
        {"visible": np.ones(N, np.int64)},
        {"visible": [True] * N},
        {"payload": np.zeros((N - 1, 8), np.uint8)},
        {"payload": np.zeros((N, 8), np.uint8)[:, ::2]},
        {"payload": np.zeros((8, N), np.uint8).T},
        {"payload": np.zeros((N, 2), object)},
        {"payload": np.zeros(N, [("name", "<i4"), ("thing", object)])},
        {"payload": np.zeros((), np.uint8)},
        {"payload": [b"x"] * N},
        {"type": -1},
        {"type": 65536},
    ],
    ids=lambda columns: "-".join(columns),
)
def test_a_batch_with_a_column_of_wrong_shape_or_type_is_refused_completely(
    columns: dict[str, Any],
) -> None:
    ring = ring_of(1 << 16)
    ring.begin()
    live = ring.accounts["live"]
    good: dict[str, Any] = {"type": 1, "ids": IDS, "positions": AT}
    with pytest.raises((RecordingError, TypeError)):
        ring.record_batch(**(good | columns))
    assert ring.accounts["live"] == live
    assert ring.open_packets == 0
    ring.commit(0.0, 0.0)
    assert ring.verify(1)


def test_arguments_that_a_batch_does_not_know_are_refused() -> None:
    ring = ring_of(4096)
    ring.begin()
    batch: Any = ring.record_batch
    asks: list[Callable[[], object]] = [
        lambda: batch(1, IDS),
        lambda: batch(1, IDS, AT, colour=1),
        lambda: batch(1, IDS, AT, ids=IDS),
        lambda: batch(*[None] * 9),
        lambda: batch("a", IDS, AT),
    ]
    for ask in asks:
        with pytest.raises(TypeError):
            ask()


def test_a_batch_is_recorded_completely_or_not_at_all() -> None:
    for count in range(1, 120):
        ring = ring_of(4096)
        record_frame(ring, 0.0, bytes(count * 8))
        ring.begin()
        done = ring.record_batch(1, np.arange(count), np.zeros((count, 3), np.float32))
        assert ring.open_packets == (count if done else 0)
        assert done == (count <= 93), "refused only what might not fit, however it is cut"
        ring.commit(1.0, 0.0)
        assert ring.verify(2)
        assert len(ring.packets(2)) == (count if done else 0)
