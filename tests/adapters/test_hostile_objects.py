"""Objects that break when they are looked at: each costs itself, and nobody beside it."""

import enum
import gc
from collections.abc import Mapping
from typing import Any

import pytest

from playhead.playback.commands import Enter, Step
from playhead.recording_session import RecordingSession, record

DT = 1 / 64


class Guard:
    def __init__(self) -> None:
        self.x, self.y, self.hp = 0.0, 0.0, 0
        self.path = [1, 2, 3]

    def step(self) -> None:
        self.x += 1.0
        self.hp += 1
        self.path[0] += 1


class Plain:
    def __init__(self, **values: Any) -> None:
        for name, value in values.items():
            setattr(self, name, value)


def broken(*_: Any, **__: Any) -> Any:
    raise ValueError("broken")


def of_class(**members: Any) -> Any:
    return type("Odd", (Plain,), members)(v=1)


def with_numbers_for_names(one: Any) -> Any:
    vars(one)[7] = 8  # type: ignore[index]
    return one


class LongerThanItSays(list[int]):
    def __len__(self) -> int:
        return 2


class BrokenList(list[int]):
    __iter__ = __len__ = broken


class BrokenText(str):
    __str__ = encode = broken


class BrokenInt(int):
    __index__ = __int__ = __lt__ = __le__ = __ge__ = broken


class BrokenMember(enum.Enum):
    ONE = 1
    __hash__ = __eq__ = broken


class BrokenMapping(Mapping[str, int]):
    __getitem__ = __iter__ = __len__ = broken


class BrokenClass(type):
    __hash__ = __eq__ = broken


class NamelessClass(type):
    __name__ = property(broken)  # type: ignore[assignment]


CASES = {
    "its __getattr__ raises": lambda: of_class(__getattr__=broken),
    "its name raises": lambda: type("Odd", (Plain,), {"name": property(broken)})(),
    "its place raises": lambda: of_class(position=property(broken)),
    "its __class__ raises": lambda: of_class(__class__=property(broken)),
    "its __dict__ raises": lambda: of_class(__dict__=property(broken)),
    "its __dict__ lies": lambda: of_class(__dict__=property(lambda _: 3)),
    "its text can't be had": lambda: of_class(__repr__=broken, __getattr__=broken),
    "it can't be compared": lambda: of_class(__eq__=broken, __hash__=broken, __bool__=broken),
    "its class has no hash": lambda: BrokenClass("Odd", (), {"v": 1})(),
    "its class has no name": lambda: NamelessClass("Odd", (), {"v": 1})(),
    "a list longer than it says": lambda: Plain(v=LongerThanItSays([1, 2, 3])),
    "a list that breaks": lambda: Plain(v=BrokenList([1, 2, 3])),
    "a text that breaks": lambda: Plain(v=BrokenText("v")),
    "a number that breaks": lambda: Plain(v=BrokenInt(4)),
    "a number of a class, too large": lambda: Plain(v=type("Large", (int,), {})(1 << 70)),
    "a member that breaks": lambda: Plain(v=BrokenMember.ONE),
    "a part without __dict__": lambda: Plain(v=of_class(__dict__=property(broken))),
    "a part without __class__": lambda: Plain(v=of_class(__class__=property(broken))),
    "a name that holds half a character": lambda: Plain(**{"\ud800": 1}),
    "an empty name": lambda: {"": 1, "v": 2},
    "a name of 300 characters": lambda: Plain(**{"n" * 300: 1}),
    "a name that is a part's too": lambda: Plain(**{"p.v": 1.5}, p=Plain(v=2.5)),
    "names that are no texts": lambda: with_numbers_for_names(Plain(v=1)),
    "too many fields": lambda: Plain(**{f"field_{number}": number for number in range(3000)}),
    "a mapping that breaks": BrokenMapping,
    "a list of objects that breaks": lambda: BrokenList([1]),
}


def frames_with(rec: RecordingSession, obj: object) -> int:
    span, number = rec.source.span, rec.id_of(obj)
    assert span is not None
    return sum(
        any(packet.id == number for packet in rec.source.objects(frame))
        for frame in range(span.oldest, span.newest + 1)
    )


@pytest.mark.parametrize("case", CASES)
def test_who_breaks_when_looked_at_costs_nobody_beside_it(case: str):
    odd, guard = CASES[case](), Guard()
    with record(lambda: [odd, guard], dt=DT, strict=False) as rec:
        for _ in range(4):
            with rec.frame():
                guard.step()
        assert frames_with(rec, guard) == 4
        path = guard.path
        rec.apply(Enter(), now=True)
        rec.apply(Step(-2))
        rec.leave()
        assert (guard.x, guard.hp, guard.path) == (4.0, 4, [5, 2, 3])
        assert guard.path is path


def test_what_can_not_be_a_field_costs_no_other_field():
    odd = with_numbers_for_names(
        Plain(**{"": 1, "n" * 300: 2, "\ud800": 3, "p.v": 4.5}, p=Plain(v=5.5), hp=6)
    )
    odd.whole = BrokenList([1, 2])
    with record([odd], dt=DT, strict=False) as rec:
        with rec.frame():
            pass
        [(_, result)] = rec.source.decoded(1)
        assert result["hp"] == 6
        assert result["p.v"] == 4.5
        left_out = rec.left_out["Plain"]
    assert {"", "n" * 300, "\ud800", "whole"} <= left_out.keys()
    assert "empty" in left_out[""]
    assert "half a character" in left_out["\ud800"]


def test_of_very_many_fields_the_first_thousand_are_recorded():
    with record([Plain(**{f"f{n}": n for n in range(3000)})], dt=DT, strict=True) as rec:
        with rec.frame():
            pass
        [(_, result)] = rec.source.decoded(1)
        assert result["f999"] == 999
        assert len(rec.left_out["Plain"]) == 2000


@pytest.mark.slow
def test_attributes_without_end_cost_their_class_its_fields_and_no_room():
    odd, guard = Plain(), Guard()
    with record([odd, guard], dt=DT, strict=False) as rec:
        for number in range(400):
            with rec.frame():
                setattr(odd, f"key_{number}", number)
                guard.step()
        span = rec.source.span
        assert span is not None
        types = {packet.number for packet in rec.source.objects(span.newest)}
        assert frames_with(rec, guard) == 400
        assert max(types) < 400
        assert rec.source.decoded(400)[1][1]["hp"] == 400


def test_an_object_that_changes_its_class_is_recorded_as_what_it_is():
    class Young:
        def __init__(self) -> None:
            self.age = 1

    class Old(Young): ...

    one = Young()
    with record([one], dt=DT, strict=True) as rec:
        with rec.frame():
            pass
        with rec.frame():
            one.__class__ = Old
            one.age = 70
        [(before, _)] = rec.source.decoded(1)
        [(after, result)] = rec.source.decoded(2)
        assert (before.id, before.type) == (after.id, "Young")
        assert after.type == "Old"
        assert result["age"] == 70
        rec.apply(Enter(), now=True)
        rec.leave()
        assert type(one) is Old
        assert one.age == 70
    gc.collect()
