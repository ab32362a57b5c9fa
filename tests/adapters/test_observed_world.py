"""Fields, places, names and types of a program's own objects, by inspection."""

import enum
import gc
import logging
import math
import weakref
from collections import namedtuple
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from playhead.errors import RecordingError
from playhead.handlers.field_handler import FieldHandler
from playhead.handlers.handler_registry import HandlerRegistry
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.world_adapter import Conventions
from playhead.recording_session import record

DT = 1 / 64


def recorded(*things: Any, frames: int = 1, **options: Any) -> list[tuple[Any, dict[str, Any]]]:
    """The packets of the newest of some frames, decoded."""
    options.setdefault("strict", True)
    with record(list(things), dt=DT, **options) as rec:
        for _ in range(frames):
            with rec.frame():
                pass
        return rec.source.decoded(frames)


class Mood(enum.Enum):
    CALM = 1
    ANGRY = 2


class Rank(enum.IntEnum):
    LOW = 3


class Keys(enum.Flag):
    UP = 1
    DOWN = 2


@dataclass
class Pose:
    position: tuple[float, float, float] = (1.0, 2.0, 3.0)
    angle: float = 0.5


@dataclass
class Guard:
    hp: int = 74
    speed: float = 1.5
    alive: bool = True
    state: str = "patrol"
    mood: Mood = Mood.ANGRY
    rank: Rank = Rank.LOW
    keys: Keys = Keys.UP | Keys.DOWN
    size: tuple[float, float] = (2.0, 3.0)
    tile: tuple[int, int] = (4, 5)
    path: list[int] = field(default_factory=list)
    matrix: Any = field(default_factory=lambda: np.eye(2, dtype=np.float32))
    weight: Any = field(default_factory=lambda: np.float32(0.25))
    transform: Pose = field(default_factory=Pose)
    target: Any = None


def test_plain_values_are_fields_and_parts_have_dotted_names():
    [(packet, result)] = recorded(Guard())
    assert packet.type == "Guard"
    assert packet.id == 1
    assert result["hp"] == 74
    assert result["speed"] == 1.5
    assert result["alive"]
    assert result["state"] == b"patrol"
    assert result["mood"] == b"ANGRY"
    assert result["rank"] == b"LOW"
    assert result["keys"] == 3
    assert result["size"].tolist() == [2.0, 3.0]
    assert result["tile"].tolist() == [4, 5]
    assert result["tile"].dtype == np.int64
    assert result["matrix"].dtype == np.float32
    assert result["weight"].dtype == np.float32
    assert result["transform.angle"] == 0.5
    assert "target" not in result
    assert "path" not in result
    assert packet.position == (1.0, 2.0, 3.0)
    assert packet.angles == (0.0, 0.0, 0.5)


class Plain:
    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


class Slots:
    __slots__ = ("_secret", "x", "y")

    def __init__(self) -> None:
        self.x, self.y, self._secret = 1.0, 2.0, 3.0


class Wheel:
    """Where it is, is worked out."""

    def __init__(self) -> None:
        self._at = (7.0, 8.0)

    @property
    def position(self) -> tuple[float, float]:
        return self._at


class Vector:
    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = x, y


Pair = namedtuple("Pair", "x y hp")


@pytest.mark.parametrize(
    ("thing", "position"),
    [
        (Plain(position=(1, 2, 3)), (1, 2, 3)),
        (Plain(position=[1.0, 2.0]), (1, 2, 0)),
        (Plain(pos=np.array([1.0, 2.0])), (1, 2, 0)),
        (Plain(location=(1.0, 2.0, 3.0)), (1, 2, 3)),
        (Plain(center=(1.0, 2.0)), (1, 2, 0)),
        (Plain(x=1, y=2), (1, 2, 0)),
        (Plain(x=1, y=2.5, z=3), (1, 2.5, 3)),
        (Plain(center_x=1, center_y=2), (1, 2, 0)),
        (Plain(transform=Plain(position=(1.0, 2.0))), (1, 2, 0)),
        (Plain(transform=Plain(x=1.0, y=2.0)), (1, 2, 0)),
        (Plain(pos=Vector(1.0, 2.0)), (1, 2, 0)),
        (Plain(transform=Plain(pos=Vector(1.0, 2.0))), (1, 2, 0)),
        (Plain(position=(1.0, 2.0), x=5.0, y=5.0), (1, 2, 0)),
        (Plain(position="north", x=5.0, y=6.0), (5, 6, 0)),
        (Plain(x=1.0), (1, 0, 0)),
        (Plain(x=1.0, pos=(3.0, 4.0)), (3, 4, 0)),
        (Plain(x=1.0, transform=Plain(x=3.0, y=4.0)), (3, 4, 0)),
        (Plain(y=1.0), (0, 0, 0)),
        (Plain(x="a", y="b"), (0, 0, 0)),
        (Slots(), (1, 2, 0)),
        (Wheel(), (7, 8, 0)),
        ({"x": 1.0, "y": 2.0}, (1, 2, 0)),
        ({"pos": (1.0, 2.0), "hp": 3}, (1, 2, 0)),
        (Pair(1.0, 2.0, 3), (1, 2, 0)),
        (SimpleNamespace(x=1, y=2), (1, 2, 0)),
    ],
)
def test_the_place_is_found_by_the_usual_names(thing, position):
    [(packet, _)] = recorded(thing)
    assert packet.position == position


@pytest.mark.parametrize("name", ["angle", "rotation", "heading", "yaw"])
def test_an_angle_is_in_radians_or_in_degrees_if_that_is_reported(name):
    [(packet, result)] = recorded(Plain(**{name: 90.0}))
    assert packet.angles == (0, 0, 90.0)
    [(packet, result)] = recorded(Plain(**{name: 90.0}), degrees=True)
    assert packet.angles == pytest.approx((0, 0, math.pi / 2))
    assert result[name] == 90.0, "the field itself is as it was"


def test_a_private_field_is_left_to_its_class():
    [(_, result)] = recorded(Slots())
    assert set(result) == {"x", "y"}


def test_what_can_not_be_recorded_is_reported_once_with_the_reason(caplog):
    caplog.set_level(logging.INFO, "playhead")
    boss = Guard()
    thing = Plain(x=1.0, items=["a", "b"], boss=boss, call=len, huge=1 << 80)
    with record([boss, thing], dt=DT, strict=True) as rec:
        for _ in range(3):
            rec.update()
        assert rec.left_out == {
            "Guard": {"target": "None so far", "path": "a list of 0"},
            "Plain": {
                "items": "a list of 2",
                "boss": "a Guard, which is recorded by itself",
                "call": "a function",
                "huge": "a whole number of more than 64 bits",
            },
        }
    lines = [line for line in caplog.messages if "not recorded" in line]
    assert len(lines) == 2


@pytest.mark.parametrize("kind", [list, tuple, set, dict])
def test_a_container_of_objects_in_a_field_is_warned_of_once_with_the_way_out(kind, caplog):
    guards = [Plain(x=1.0, y=2.0), Plain(x=3.0, y=4.0)]
    held = dict(enumerate(guards)) if kind is dict else kind(guards)
    with record([Game(held), Game(held)], dt=DT, strict=True) as rec:
        for _ in range(3):
            rec.update()
        what = f"a {kind.__name__} of 2 objects, which are not recorded as part of it"
        assert rec.left_out == {"Game": {"enemies": what}}
    assert caplog.messages == [f"Game.enemies is {what}: rec.add(game.enemies) records each"]
    assert caplog.records[0].levelno == logging.WARNING


class Game:
    def __init__(self, enemies: Any) -> None:
        self.enemies, self.score = enemies, 0


def test_a_dict_with_a_list_of_dicts_beside_its_values_is_warned_of(caplog):
    game = {"enemies": [{"x": 1.0}], "player": {"x": 2.0, "y": 3.0}, "score": 5}
    with record(game, dt=DT, strict=True) as rec:
        rec.update()
    assert caplog.messages == [
        "the item 'enemies' of a dict is a list of 1 object, which are not recorded as part of it:"
        " rec.add(…['enemies']) records each"
    ]


def test_a_list_that_is_empty_at_first_is_warned_of_when_objects_come(caplog):
    game = Game([])
    with record(game, dt=DT, strict=True) as rec:
        rec.update()
        assert rec.left_out == {"Game": {"enemies": "a list of 0"}}
        game.enemies.append(Plain(x=1.0))
        rec.update()
        assert "a list of 1 object" in rec.left_out["Game"]["enemies"]
    assert "Game.enemies is a list of 1 object" in caplog.text


@pytest.mark.parametrize("late", [False, True])
def test_objects_that_are_recorded_by_themselves_and_plain_values_are_not_warned_of(late, caplog):
    game = Game([Plain(x=1.0)])
    game.path = [(1.0, 2.0), (3.0, 4.0)]
    game.words = ["a", "b"]
    with record(game if late else [game, *game.enemies], dt=DT, strict=True) as rec:
        if late:
            rec.add(game.enemies)
        rec.update()
    assert caplog.messages == []


def test_a_field_that_is_none_is_left_out_until_it_has_a_value():
    guard = Plain(x=1.0, target=None)
    with record(guard, dt=DT, strict=True) as rec:
        rec.update()
        assert rec.left_out == {"Plain": {"target": "None so far"}}
        guard.target = 3.0
        rec.update()
        guard.target = None
        rec.update()
        assert rec.left_out == {}


def test_a_part_that_is_empty_at_first_is_not_left_out_once_it_holds_something():
    guard = Plain(x=1.0, inv={})
    with record(guard, dt=DT, strict=True) as rec:
        rec.update()
        assert rec.left_out == {"Plain": {"inv": "a dict of 0"}}
        guard.inv["gold"] = 3
        rec.update()
        rec.update()
        assert rec.source.decoded(3)[0][1]["inv.gold"] == 3
        assert rec.left_out == {}


@pytest.mark.parametrize("thing", [lambda: None, [], {}, lambda: ()])
def test_a_recording_that_never_had_an_object_says_so_at_its_end(thing, caplog):
    with record(thing, dt=DT, strict=True) as rec:
        rec.update()
        assert caplog.messages == []
    assert "no object was ever recorded" in caplog.text


def test_a_recording_of_watched_values_alone_needs_no_object(caplog):
    with record(dt=DT, strict=True) as rec, rec.frame():
        rec.watch("n", 1)
    assert caplog.messages == []


def test_fields_can_be_chosen_by_name_by_path_and_by_function():
    guard = Guard()
    fields = {
        "Guard": {"health": "hp", "angle": "transform.angle", "far": lambda one: one.speed * 2},
        Plain: ["items"],
    }
    first, second = recorded(guard, Plain(items=[1, 2, 3, 4, 5, 6], x=1), fields=fields)
    assert {name: float(value) for name, value in first[1].items()} == {
        "health": 74.0, "angle": 0.5, "far": 3.0,
    }  # fmt: skip
    assert second[1]["items"].tolist() == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"Guard": ["hpp"]}, "no field 'hpp': did you mean 'hp'"),
        ({"Guard": ["transform"]}, "choose a part of it"),
        ({"Guard": "hp"}, "neither a list of names"),
        ({"Guard": {"angle": "transform.angel"}}, "did you mean 'angle'"),
    ],
)
def test_a_field_that_is_not_there_is_named_with_the_nearest(fields, message):
    with pytest.raises(RecordingError, match=message):
        recorded(Guard(), fields=fields)


def test_a_misspelt_field_is_raised_at_the_end_of_the_first_step_strict_or_not(caplog):
    guard = Guard()
    rec = record(guard, dt=DT, fields={"Guard": ["speed", "hpp"]}, strict=False)
    with rec:
        wanted = r"^Guard has no field 'hpp': did you mean 'hp'\?$"
        with pytest.raises(RecordingError, match=wanted), rec.frame():
            pass
        with rec.frame():  # whoever goes on all the same is told once, and the recording knows it
            pass
        assert [loss.text for loss in rec.source.losses(2)] == [
            "fields of Guard: Guard has no field 'hpp': did you mean 'hp'?"
        ]
    assert caplog.messages == []  # what is raised is not logged as well


def test_a_chosen_field_that_only_some_of_a_class_have_stops_nobody(caplog):
    first, other = Plain(x=1.0, y=2.0, hp=3), Plain(x=1.0, y=2.0)
    packets = recorded(first, other, strict=False, fields={"Plain": ["hp"]})
    assert [result.get("hp") for _, result in packets] == [3, None]
    [line] = [line for line in caplog.messages if "no field" in line]
    assert line == ("fields of Plain: Plain has no field 'hp': there are x, y")


def test_fields_of_a_class_that_never_came_are_reported(caplog):
    recorded(Guard(), fields={"Gaurd": ["hp"], Slots: ["x"]})
    assert "fields= names Gaurd, Slots, and no object" in caplog.text
    assert "did you mean 'Guard'?" in caplog.text


def test_fields_that_name_no_class_are_refused_with_how_to_write_them():
    with pytest.raises(RecordingError, match=r"as in fields=\{'Guard': \['hp', 'pos'\]\}"):
        recorded(Guard(), fields=["hp"])


def test_a_property_that_raises_costs_its_value_and_is_reported(caplog):
    class Broken:
        def __init__(self) -> None:
            self.hp = 5

        @property
        def position(self) -> Any:
            raise ValueError("not yet")

    [(_packet, result)] = recorded(Broken(), strict=False)
    assert result == {"hp": 5}
    [(_, result)] = recorded(Broken(), strict=False, fields={"Broken": ["hp"]})
    assert result == {"hp": 5}


def test_a_handler_is_preferred_to_inspection():
    @dataclass
    class Door:
        angle: float = 0.25
        locked: bool = False

    handlers = {"Door": FieldHandler(Door(), names=["locked"])}
    door, guard = recorded(Door(), Guard(), handlers=handlers)
    assert set(door[1]) == {"locked"}
    assert "hp" in guard[1]
    registry = HandlerRegistry()
    registry.ignore("Guard")
    assert [packet.type for packet, _ in recorded(Door(), Guard(), handlers=registry)] == ["Door"]


def test_two_classes_of_one_name_are_distinguished():
    first = type("Guard", (Plain,), {"__module__": "night"})
    second = type("Guard", (Plain,), {"__module__": "day", "__qualname__": "Guard"})
    third = type("Guard", (Plain,), {"__module__": "day", "__qualname__": "Guard"})
    found = recorded(first(x=1), second(x=2), third(x=3))
    assert [packet.type for packet, _ in found] == ["Guard", "day.Guard", "day.Guard 2"]


def test_names_come_from_keys_or_the_objects_and_follow_them():
    guard, boss = Plain(x=1.0, name="Ann"), Plain(x=2.0)
    with record({"boss": boss, "others": [guard]}, dt=DT, strict=True) as rec:
        rec.update()
        guard.name = "Bea"
        rec.update()
        values = {
            id: (rec.source.latched(1, id, Kind.NAME, ""), rec.source.latched(2, id, Kind.NAME, ""))
            for id in (1, 2)
        }
        assert values == {1: ("boss", "boss"), 2: ("Ann", "Bea")}
        assert "name" not in rec.source.decoded(2)[1][1], "a name is no value of each frame"


def test_objects_may_come_and_go_also_within_a_step():
    things = [Plain(x=float(n)) for n in range(3)]
    with record(lambda: things, dt=DT, strict=True) as rec:
        with rec.frame():
            things.append(Plain(x=9.0))
            rec.watch("new", 1.0, rec.id_of(things[-1]))
        del things[0]
        rec.update()
        things.insert(0, Plain(x=10.0))
        rec.update()
        xs = [
            {packet.id: float(result["x"]) for packet, result in rec.source.decoded(n)}
            for n in (1, 2, 3)
        ]
        # The one that was asked for within the step has its id first.
        assert xs == [
            {1: 9.0, 2: 0.0, 3: 1.0, 4: 2.0},
            {1: 9.0, 3: 1.0, 4: 2.0},
            {1: 9.0, 3: 1.0, 4: 2.0, 5: 10.0},
        ]
        assert rec.source.watches(1) == {(1, "new"): 1.0}


def test_an_object_given_twice_is_recorded_once():
    player = Plain(x=1.0)
    enemies = [Plain(x=2.0), player]
    with record(enemies, dt=DT, strict=True) as rec:
        rec.add(player)
        rec.add(enemies)
        for _ in range(3):
            rec.update()
        assert len(rec.source.objects(3)) == 2


def test_objects_are_not_kept_alive_by_being_recorded():
    """A game that finds its enemies by weak references must not meet one that is dead."""
    things = [Plain(x=1.0), Plain(x=2.0)]
    found = weakref.WeakSet(things)
    with record(lambda: things, dt=DT, strict=True) as rec:
        for _ in range(3):
            rec.update()
        things.pop()
        assert len(found) == 1
        rec.update()
        assert len(rec.source.objects(4)) == 1


def test_an_attribute_that_comes_later_is_recorded_from_then_on():
    one, two = Plain(x=1.0), Plain(x=2.0)
    with record([one, two], dt=DT, strict=True) as rec:
        rec.update()
        one.ammo = 5
        rec.update()
        two.ammo = 6
        rec.update()
        del one.ammo
        rec.update()
        found = [
            {packet.id: result.get("ammo") for packet, result in rec.source.decoded(n)}
            for n in (1, 2, 3, 4)
        ]
        assert found == [{1: None, 2: None}, {1: 5, 2: None}, {1: 5, 2: 6}, {1: None, 2: 6}]


def test_whole_numbers_become_fractions_without_a_word(caplog):
    one, two = Plain(x=1, at=(1, 2)), Plain(x=2, at=(3, 4))
    with record([one, two], dt=DT, strict=True) as rec:
        rec.update()
        one.x, one.at = 1.5, (1.5, 2)
        rec.update()
        one.x, two.x = np.float64(1.25), (1 << 60) + 1
        rec.update()
        values = {packet.id: values for packet, values in rec.source.decoded(3)}
        assert values[1]["x"] == 1.25
        assert values[2]["x"] == (1 << 60) + 1, "a number that a float can't hold is kept whole"
        assert values[1]["at"].tolist() == [1.5, 2.0]
    assert not [one for one in caplog.records if one.levelno >= logging.WARNING]


def test_a_field_of_another_type_is_recorded_and_reported_with_both_types(caplog):
    guard = Plain(x=1.0, target=3)
    with record({"boss": guard}, dt=DT, strict=False) as rec:
        rec.update()
        guard.target = "the door"
        for _ in range(3):
            rec.update()
        assert rec.source.decoded(1)[0][1]["target"] == 3
        assert rec.source.decoded(2)[0][1]["target"] == b"the door"
        assert rec.status.calls_refused == {"fields of Plain": 1}
    [line] = [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING]
    assert "boss (id 1): Plain.target was a number and is a str ('the door')" in line


def test_strict_raises_what_a_field_became_and_has_recorded_it():
    guard = Plain(x=1.0, target=3)
    with record([guard], dt=DT, strict=True) as rec:
        rec.update()
        guard.target = "the door"
        with pytest.raises(RecordingError, match=r"Plain.target was a number and is a str"):
            rec.update()
        assert rec.source.decoded(2)[0][1]["target"] == b"the door"
        rec.update()


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf, 1e300])
def test_a_place_that_is_none_is_recorded_as_it_is_and_harms_nobody(wrong):
    good, bad = Plain(x=1.0, y=2.0), Plain(x=wrong, y=2.0)
    with record([good, bad], dt=DT, strict=True) as rec:
        with pytest.raises(RecordingError, match=r"Plain 2 is at .* no finite numbers"):
            rec.update()
        rec.update()
        found = {packet.id: (packet, result) for packet, result in rec.source.decoded(2)}
        assert len(rec.source.objects(1)) == 2
    assert found[1][0].position == (1.0, 2.0, 0.0)
    assert repr(float(found[2][1]["x"])) == repr(wrong)
    assert not math.isfinite(found[2][0].position[0])


def test_who_is_given_at_the_start_has_its_id_at_once():
    things = [Plain(x=1.0), Plain(x=2.0)]
    with record(things, dt=DT, strict=True) as rec:
        assert [rec.id_of(thing) for thing in things] == [1, 2]
        assert [rec.id_of(none) for none in (None, 7, "boss", Plain, [])] == [None] * 5


def test_long_texts_are_kept_and_only_very_long_ones_are_cut():
    guard = Plain(x=1.0, note="a")
    with record([guard], dt=DT, strict=False) as rec:
        for length in (1, 20, 200, 1000, 5):
            guard.note = "é" * (length // 2) or "a"
            rec.update()
            packet, result = rec.source.decoded(rec.source.span.newest)[0]
            assert not packet.cut
            assert bytes(result["note"]).decode() == guard.note
        guard.note = "x" * 5000
        rec.update()
        packet, result = rec.source.decoded(rec.source.span.newest)[0]
        assert packet.cut
        assert rec.status.cut == {"Plain": 1}


def test_a_world_of_two_dimensions_is_flat_and_one_of_three_is_not():
    def conventions(*things: Any, **options: Any) -> Conventions:
        with record(list(things), dt=DT, strict=True, **options) as rec:
            rec.update()
            return rec.source.conventions(1)

    assert conventions(Plain(position=(1.0, 2.0, 3.0))) == Conventions()
    assert conventions(Plain(hp=1)) == Conventions()
    assert conventions(Plain(x=1.0, y=2.0)).up in ("y", "-y")
    given = Conventions(up="x", unit="cm")
    assert conventions(Plain(x=1.0, y=2.0), conventions=given) == given


def test_replaced_values_that_can_not_change_keep_their_ids():
    """A game that makes a new frozen object in each step has one object, not one a frame."""
    state = {"a": Pair(0.0, 0.0, 1), "b": Pair(1.0, 0.0, 1)}
    with record(lambda: state, dt=DT, strict=True) as rec:
        for n in range(5):
            with rec.frame():
                state["a"] = state["a"]._replace(x=float(n))
        assert [sorted(p.id for p in rec.source.objects(n)) for n in (1, 5)] == [[1, 2], [1, 2]]
        assert not rec.handlers.players, "nothing of it can be set back"


def test_what_a_source_raises_costs_its_objects_and_is_reported():
    def broken() -> Any:
        raise KeyError("boss")

    with record([Plain(x=1.0)], dt=DT, strict=False) as rec:
        rec.add(broken)
        rec.update()
        assert len(rec.source.objects(1)) == 1
        assert rec.status.calls_refused == {"objects()": 1}


def test_two_sessions_number_the_same_objects_each_for_itself():
    one, two = Plain(x=1.0), Plain(x=2.0)
    with (
        record([one, two], dt=DT, strict=True) as first,
        record([two], dt=DT, strict=True) as other,
    ):
        first.update()
        other.update()
        assert (first.id_of(two), other.id_of(two)) == (2, 1)
    gc.collect()
