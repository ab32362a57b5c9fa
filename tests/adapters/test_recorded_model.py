"""Objects that come, go and change in any order: all is recorded, and all is given back."""

import copy
import enum
import gc
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from playhead.playback.commands import Enter, SeekFrame
from playhead.recording_session import RecordingSession, record

NAMES = ("x", "hp", "label", "aim")


class Mood(enum.Enum):
    CALM = 1
    ANGRY = 2


class Rank(enum.IntEnum):
    LOW = 1
    HIGH = 9


class Plain:
    def __init__(self) -> None:
        self.x = 0.0


class Slots:
    __slots__ = NAMES

    def __init__(self) -> None:
        self.x = 0.0


@dataclass
class Data:
    x: float = 0.0
    hp: int = 3
    label: str = "calm"
    aim: list[float] = field(default_factory=lambda: [0.0, 0.0])


def _dict() -> dict[str, Any]:
    return {"x": 0.0}


numbers = st.one_of(
    st.integers(-(1 << 63), (1 << 63) - 1), st.floats(), st.booleans(),
    st.floats(width=32).map(np.float32), st.floats().map(np.float64),
)  # fmt: skip
values = st.one_of(
    numbers,
    st.none(),
    st.text("abcé", max_size=40),
    st.sampled_from([*Mood, *Rank]),
    st.tuples(st.floats(), st.floats()),
    st.tuples(st.integers(-9, 9), st.integers(-9, 9)),
    st.lists(st.floats(), min_size=2, max_size=4),
    st.lists(st.floats(), min_size=3, max_size=3).map(np.array),
    st.lists(st.integers(0, 9), min_size=9, max_size=12),  # can't be recorded
    st.just(1 << 70),  # neither can this
)


def is_recordable(value: Any) -> bool:
    if isinstance(value, list):
        return len(value) <= 4
    return not (type(value) is int and abs(value) >= 1 << 69)


def held(obj: Any) -> dict[str, Any]:
    if isinstance(obj, dict):
        return dict(obj)
    return {name: getattr(obj, name) for name in NAMES if hasattr(obj, name)}


def put(obj: Any, name: str, value: Any) -> None:
    if isinstance(obj, dict):
        obj[name] = value
    else:
        setattr(obj, name, value)


def same(one: Any, other: Any) -> bool:
    """Equal as a game sees it: nan agrees with nan, a list with a list."""
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and np.array_equal(one, other, equal_nan=True)
    if isinstance(one, tuple | list):
        return (
            isinstance(other, type(one)) and len(one) == len(other) and all(map(same, one, other))
        )
    if isinstance(one, float | np.floating) and math.isnan(one):
        return isinstance(other, float | np.floating) and math.isnan(other)
    if isinstance(one, bool) is not isinstance(other, bool | np.bool_):
        return False
    return bool(one == other)


def read_back(value: Any, recorded: Any) -> bool:
    """Whether what a layout reads is what there was."""
    if isinstance(value, enum.Enum):
        plain = value.value if isinstance(value, int) else value.name.encode()
        return bool(plain == recorded)
    if isinstance(value, str):
        return value.encode() == bytes(recorded)
    if isinstance(value, tuple | list):
        return all(map(same, map(float, value), map(float, recorded)))
    return same(value, recorded)


class Game(RuleBasedStateMachine):
    rec: RecordingSession

    @initialize()
    def begin(self) -> None:
        self.objects: list[Any] = [Plain(), Data()]
        self.gone: list[Any] = []
        self.frames: dict[int, dict[int, dict[str, Any]]] = {}
        self.ids: set[int] = set()
        self.rec = record(lambda: self.objects, dt=1 / 64, strict=False, memory="8 MiB")

    @rule(make=st.sampled_from([Plain, Slots, Data, _dict]))
    def spawn(self, make: Any) -> None:
        self.objects.append(make())

    @rule(data=st.data(), forget=st.booleans())
    def remove(self, data: st.DataObject, forget: bool) -> None:
        if self.objects:
            one = self.objects.pop(data.draw(st.integers(0, len(self.objects) - 1)))
            if not forget and not isinstance(one, dict | Slots):
                self.gone.append(one)
            del one
            gc.collect(0)

    @precondition(lambda self: self.gone)
    @rule()
    def come_back(self) -> None:
        self.objects.append(self.gone.pop())

    @rule(data=st.data(), name=st.sampled_from(NAMES), value=values)
    def change(self, data: st.DataObject, name: str, value: Any) -> None:
        if self.objects:
            one = data.draw(st.sampled_from(range(len(self.objects))))
            put(self.objects[one], name, value)

    @rule(data=st.data(), value=st.floats(allow_nan=False))
    def change_in_place(self, data: st.DataObject, value: float) -> None:
        for obj in self.objects:
            if isinstance(obj, Data) and isinstance(obj.aim, list) and len(obj.aim) == 2:
                obj.aim[0] = value

    @rule(data=st.data(), name=st.sampled_from(NAMES))
    def lose_a_field(self, data: st.DataObject, name: str) -> None:
        if self.objects:
            obj = self.objects[data.draw(st.integers(0, len(self.objects) - 1))]
            if name in held(obj) and not isinstance(obj, Data):
                obj.pop(name) if isinstance(obj, dict) else delattr(obj, name)

    @rule()
    def step(self) -> None:
        with self.rec.frame():
            pass
        newest = self.rec.source.span
        assert newest is not None
        ids = [self.rec.id_of(obj) for obj in self.objects]
        assert len(set(ids)) == len(self.objects)
        self.frames[newest.newest] = {
            id: copy.deepcopy(held(obj))
            for id, obj in zip(ids, self.objects, strict=True)
            if id is not None
        }

    @precondition(lambda self: self.frames)
    @rule(data=st.data(), visits=st.integers(1, 4))
    def look_at_the_past(self, data: st.DataObject, visits: int) -> None:
        self.step()
        before = [(held(obj), copy.deepcopy(held(obj))) for obj in self.objects]
        self.rec.apply(Enter(), now=True)
        for _ in range(visits):
            frame = data.draw(st.sampled_from(sorted(self.frames)))
            self.rec.apply(SeekFrame(frame))
            self.check_shown(frame)
        self.rec.leave()
        for obj, (values, contents) in zip(self.objects, before, strict=True):
            now = held(obj)
            assert list(now) == list(values)
            for name, value in now.items():
                assert value is values[name]  # the very same: other names for it stay good
                assert same(value, contents[name])
                assert repr(value) == repr(contents[name])

    def check_shown(self, frame: int) -> None:
        stood_in = self.rec.restorer.stand_ins
        for obj in self.objects:
            id = self.rec.id_of(obj)
            assert id is not None
            recorded = self.frames[frame].get(id)
            if recorded is None or id in stood_in:
                continue
            for name, value in recorded.items():
                if is_recordable(value) and self.was_recorded(frame, id, name):
                    assert same(value, held(obj)[name]), (name, value, held(obj)[name])

    def was_recorded(self, frame: int, id: int, name: str) -> bool:
        packet = next(one for one in self.rec.source.objects(frame) if one.id == id)
        _, layout = self.rec.source.type_of(frame, packet.number)
        return name in layout.dtype.names if layout.dtype.names else False

    @invariant()
    def every_frame_reads_back(self) -> None:
        if not getattr(self, "frames", None):
            return
        frame = max(self.frames)
        found = {packet.id: (packet, result) for packet, result in self.rec.source.decoded(frame)}
        assert found.keys() == self.frames[frame].keys()
        for id, expected in self.frames[frame].items():
            packet, result = found[id]
            assert not packet.cut
            assert not packet.damaged
            for name, value in expected.items():
                if value is None or not is_recordable(value):
                    assert name not in result
                elif name in result or (type(value) is not list or len(value) <= 4):
                    assert name in result, (name, value, result, self.rec.left_out)
                    assert read_back(value, result[name]), (name, value, result[name])

    def teardown(self) -> None:
        if hasattr(self, "rec"):
            self.rec.close()


Game.TestCase.settings = settings(max_examples=30, stateful_step_count=20, deadline=None)
TestObjectsThatComeGoAndChange = Game.TestCase
