"""A whole frame of a game with 1,000 objects, through the recorder and its handlers."""

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from playhead.handlers.field_handler import FieldHandler
from playhead.handlers.skeletal_pose_handler import SkeletalPoseHandler
from playhead.recorder.handler_interface import Batch, HandlerSpec, PacketWriter
from playhead.recorder.packets.layouts.layout import Layout, layout_from_dtype
from playhead.recorder.recorder import Recorder

from ..support.report_table import Line
from ..support.timing import Case, Size, interleave

ENTITIES = 1_000
JOINTS = 32
Vector = tuple[float, float, float]
RECORD = np.dtype([("health", "<f4"), ("ammo", "<i4"), ("speed", "<f8")])


@dataclass
class Entity:
    """A game object with a handful of plain fields."""

    position: Vector = (1.0, 2.0, 3.0)
    angles: Vector = (0.0, 0.1, 0.2)
    health: float = 100.0
    ammo: int = 30
    speed: float = 4.5


@dataclass
class Model(Entity):
    """The same with a skeleton's matrices."""

    joints: Any = field(default_factory=lambda: np.ones((JOINTS, 3, 4), np.float32))


@dataclass
class Table:
    """Objects that the game holds as columns."""

    ids: Any
    positions: Any
    angles: Any
    payloads: Any
    targetable: Any = None
    visible: Any = None


class PackedHandler:
    """An ordinary handler as a game writes it: size() and record(), with struct."""

    layout = layout_from_dtype(RECORD)
    _packed = struct.Struct("<fid")

    def size(self, obj: Entity) -> int:
        return self._packed.size

    def record(self, obj: Entity, packet: PacketWriter) -> None:
        packet.position = obj.position
        packet.angles = obj.angles
        self._packed.pack_into(packet, 0, obj.health, obj.ammo, obj.speed)


def measure(size: Size) -> list[Line]:
    entities = [(i + 1, "entity", Entity(ammo=i)) for i in range(ENTITIES)]
    models = [(i + 1, "entity", Model(ammo=i)) for i in range(ENTITIES)]
    columns = Table(
        np.arange(1, ENTITIES + 1, dtype=np.uint64), np.ones((ENTITIES, 3), np.float32),
        np.ones((ENTITIES, 3), np.float32), np.zeros(ENTITIES, RECORD),
    )  # fmt: skip
    recorders = [Recorder(min(64 << 20, size.memory), strict=False) for _ in range(4)]
    ordinary, fields, jointed, columnar = recorders
    ordinary.add_handler(HandlerSpec("entity", PackedHandler(), None))
    fields.add_handler(HandlerSpec("entity", FieldHandler(Entity()), None))
    jointed.add_handler(HandlerSpec("entity", SkeletalPoseHandler(Model()), None))
    batches = (Batch("entity", Layout(PackedHandler.layout.fields), columns),)
    cases = {
        "handlers": _updates(lambda: ordinary.update(entities, 1 / 60), size),
        "fields": _updates(lambda: fields.update(entities, 1 / 60), size),
        "models": _updates(lambda: jointed.update(models, 1 / 60), size),
        "columns": _updates(lambda: columnar.update((), 1 / 60, batches=batches), size),
    }
    try:
        times = interleave(cases, size.rounds)
        for recorder in recorders:
            assert not recorder.status.handler_faults, recorder.status.newest_fault
    finally:
        for recorder in recorders:
            recorder.close()
    labels = {
        "handlers": ("Python handlers, size() and record()", 1.0),
        "fields": ("FieldHandler, batched", 0.25),
        "models": (f"SkeletalPoseHandler, {JOINTS} joints", None),
        "columns": ("columns of the game", None),
    }
    return [
        Line(f"{ENTITIES:,} × {what}", times.ns(name) / 1e6, "ms", goal,
             f"{times.ns(name) / ENTITIES:.0f} ns an object")
        for name, (what, goal) in labels.items()
    ]  # fmt: skip


def _updates(update: Callable[[], object], size: Size) -> Case:
    def case() -> int:
        for _ in range(max(size.frames // 5, 1)):
            update()
        return max(size.frames // 5, 1)

    return case
