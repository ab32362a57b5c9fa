"""Editing the paused game: what leaving playback gives back, undo, redo, and what is refused."""

from dataclasses import dataclass, field
from enum import Enum

import numpy as np
import pytest

from playhead.errors import CommandError
from playhead.handlers.field_handler import FieldHandler
from playhead.playback.commands import Enter
from playhead.recorder.packets.layouts.layout import Field, layout_from_dtype
from playhead.recording.recording import Recording
from playhead.recording_session import record
from playhead.session import Session

from ..support.fake_world import DT, FakeWorld


class Mood(Enum):
    CALM = 1
    ANGRY = 2


@dataclass
class Guard:
    hp: float = 9.0
    shots: int = 3
    awake: bool = True
    mood: Mood = Mood.CALM
    post: str = "gate"
    velocity: tuple[float, float] = (1.0, 0.0)
    joints: np.ndarray = field(default_factory=lambda: np.zeros(3, np.float32))


class Frozen:
    """Has a value that nothing can set."""

    def __init__(self) -> None:
        self.hp = 9.0

    @property
    def half(self) -> float:
        return self.hp / 2


class HandledGame:
    """A guard that a FieldHandler records, and one that nothing plays."""

    def __init__(self) -> None:
        self.guard = Guard()
        self.world = FakeWorld({1: self.guard})
        handlers = {"guard": FieldHandler(self.guard)}
        self.session = Session(self.world, "1 MiB", handlers=handlers, strict=True)

    def step(self) -> None:
        self.world.step()
        self.guard.hp -= 1
        self.session.update(DT)


class PlainGame:
    """The same in a program without a world of its own."""

    def __init__(self) -> None:
        self.guard = Guard()
        self.session = record([self.guard], dt=DT, strict=True)

    def step(self) -> None:
        with self.session.frame():
            self.guard.hp -= 1


class PackingHandler:
    """A handler of the user's own, whose playing half leaves one field alone."""

    layout = layout_from_dtype([("hp", "<f8"), ("shots", "<i4"), ("age", "<i4")],
                       notes={"age": Field(restored=False)})  # fmt: skip

    def size(self, obj):
        return 16

    def record(self, obj, packet):
        packet.payload[:] = np.array((obj.hp, obj.shots, 40), self.layout.dtype).tobytes()

    def play(self, obj, packet):
        record = packet.record(self.layout.dtype)
        obj.hp = float(record["hp"])  # and forgets the shots


def pause(session: Session) -> None:
    session.apply(Enter(), now=True)


@pytest.fixture(params=[HandledGame, PlainGame])
def game(request):
    made = request.param()
    for _ in range(3):
        made.step()
    pause(made.session)
    yield made
    made.session.close()


def test_an_edit_is_what_leaving_playback_gives_back_wherever_one_went_before(game):
    game.session.edits.set(1, "hp", 50)
    assert game.guard.hp == 50.0
    assert type(game.guard.hp) is float
    game.session.step(-2)
    assert game.guard.hp == 8.0
    game.session.seek(frame=3)
    assert game.guard.hp == 50.0, "the newest frame shows what will be given back"
    game.session.step(-1)
    game.session.leave()
    assert game.guard.hp == 50.0
    game.step()
    assert game.guard.hp == 49.0


def test_what_was_not_edited_is_given_back_as_ever(game):
    game.session.edits.set(1, "shots", 0)
    game.session.step(-2)
    game.session.leave()
    assert (game.guard.hp, game.guard.shots, game.guard.post) == (6.0, 0, "gate")
    assert game.guard.velocity == (1.0, 0.0)


def test_an_edit_is_recorded_as_an_input_of_the_next_step_and_marked(game):
    game.session.edits.set(1, "hp", 50)
    game.session.edits.set(1, "hp", 60)
    game.session.leave()
    game.step()
    source = game.session.source
    assert source.statements(4).inputs[1, "edit hp"] == {
        "field": "hp", "before": 6.0, "after": 60.0
    }  # fmt: skip
    [mark] = source.marks()
    assert (mark.frame, mark.name, mark.note, mark.kind) == (4, "edited hp", "6 -> 60", "edit")


def test_undo_and_redo_go_back_and_forth(game):
    edits = game.session.edits
    edits.set(1, "hp", 50)
    edits.set(1, "hp", 60)
    edits.set(1, "mood", "ANGRY")
    assert edits.undo().name == "mood"
    assert game.guard.mood is Mood.CALM
    assert edits.undo().after == 60.0
    assert game.guard.hp == 50.0
    assert [edit.is_undone for edit in edits.list()] == [False, True, True]
    assert edits.redo().name == "hp"
    assert game.guard.hp == 60.0
    edits.set(1, "shots", 1)
    with pytest.raises(CommandError, match="no edit was undone"):
        edits.redo()
    for _ in range(3):
        edits.undo()
    with pytest.raises(CommandError, match="nothing was edited"):
        edits.undo()
    game.session.leave()
    game.step()
    assert game.guard.hp == 5.0
    assert game.session.source.marks() == []


def test_every_kind_of_value_keeps_its_type(game):
    for name, value in (
        ("shots", 7), ("awake", False), ("mood", "ANGRY"), ("post", "tower"),
        ("velocity", [3, 4]), ("joints.1", 0.5),
    ):  # fmt: skip
        game.session.edits.set(1, name, value)
    game.session.seek(frame=1)
    game.session.leave()
    guard = game.guard
    assert (guard.shots, guard.awake, guard.mood, guard.post) == (7, False, Mood.ANGRY, "tower")
    assert guard.velocity == (3.0, 4.0)
    assert type(guard.velocity) is tuple
    assert guard.joints.tolist() == [0.0, 0.5, 0.0]
    assert guard.joints.dtype == np.float32


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("hp", "much", "hp is a number"),
        ("hp", float("nan"), "not finite"),
        ("hp", float("inf"), "not finite"),
        ("hp", True, "hp is a number"),
        ("shots", 1.5, "a whole number"),
        ("shots", 1 << 63, "out of range"),
        ("awake", 1, "true or false"),
        ("mood", "ANGRI", "did you mean 'ANGRY'"),
        ("post", 3, "is a text"),
        ("velocity", [1, 2, 3], "2 values, and 3 were given"),
        ("velocity", "12", "give a list"),
        ("velocity.2", 1, "no part 2"),
        ("velocity.0.0", 1, "no part 0|no field"),
        ("joints.0", 1e300, "too large"),
        ("helth", 1, "no field 'helth'"),
        ("hp.x", 1, "no part 0"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_and_changes_nothing(game, name, value, why):
    before = repr(vars(game.guard))
    with pytest.raises(CommandError, match=why):
        game.session.edits.set(1, name, value)
    assert repr(vars(game.guard)) == before
    assert game.session.edits.list() == []


def test_only_the_newest_frame_of_a_paused_game_can_be_edited(game):
    game.session.step(-1)
    with pytest.raises(CommandError, match=r"at frame 2.*seek\(frame=3\)"):
        game.session.edits.set(1, "hp", 1)
    game.session.play(0.5)
    with pytest.raises(CommandError, match=r"pause\(\) first"):
        game.session.edits.set(1, "hp", 1)
    game.session.leave()
    with pytest.raises(CommandError, match=r"the game runs: pause it with enter\(\)"):
        game.session.edits.set(1, "hp", 1)
    pause(game.session)
    with pytest.raises(CommandError, match="object 9 is not in the newest frame"):
        game.session.edits.set(9, "hp", 1)


def test_a_new_pause_begins_without_edits(game):
    game.session.edits.set(1, "hp", 50)
    game.session.leave()
    game.step()
    pause(game.session)
    assert game.session.edits.list() == []
    game.session.leave()


def test_a_field_that_a_handler_does_not_put_back_is_read_only():
    guard = Guard()
    world = FakeWorld({1: guard})
    with Session(world, "1 MiB", handlers={"guard": PackingHandler()}, strict=True) as session:
        world.step()
        session.update(DT)
        pause(session)
        session.edits.set(1, "hp", 4)
        with pytest.raises(CommandError, match="age is read-only"):
            session.edits.set(1, "age", 4)
        with pytest.raises(CommandError, match="shots is read-only"):
            session.edits.set(1, "shots", 4)
        session.leave()
        assert guard.hp == 4.0
        assert guard.shots == 3


def test_a_text_that_its_layout_has_no_room_for_is_refused():
    guard = Guard()
    world = FakeWorld({1: guard})
    handlers = {"guard": FieldHandler(guard, text=8)}
    with Session(world, "1 MiB", handlers=handlers, strict=True) as session:
        world.step()
        session.update(DT)
        pause(session)
        with pytest.raises(CommandError, match="no room"):
            session.edits.set(1, "post", "a very long name")


def test_a_value_that_is_worked_out_is_read_only():
    one = Frozen()
    fields = {"Frozen": {"hp": "hp", "half": lambda frozen: frozen.half}}
    with record([one], dt=DT, strict=True, fields=fields) as rec:
        with rec.frame():
            pass
        pause(rec)
        with pytest.raises(CommandError, match="half is read-only"):
            rec.edits.set(1, "half", 3)
        rec.leave()


def test_a_key_of_the_blackboard_is_edited_with_undo():
    py_trees = pytest.importorskip("py_trees")
    board = py_trees.blackboard.Client(name="test")
    board.register_key("goal", access=py_trees.common.Access.WRITE)
    board.goal = 3
    one = Frozen()
    try:
        with record([one], dt=DT, strict=True) as rec:
            with rec.frame():
                pass
            pause(rec)
            rec.edits.set_key("goal", 5)
            assert board.goal == 5
            for key, value, why in (
                ("gaol", 1, "did you mean '/goal'"), ("/goal", "x", "a whole number"),
                ("/goal", float("nan"), "a whole number"),
            ):  # fmt: skip
                with pytest.raises(CommandError, match=why):
                    rec.edits.set_key(key, value)
            rec.edits.undo()
            assert board.goal == 3
            rec.edits.redo()
            rec.leave()
            with rec.frame():
                pass
            assert board.goal == 5
            assert Recording(rec.source, "").marks[-1].name == "edited blackboard /goal"
    finally:
        py_trees.blackboard.Blackboard.clear()


def test_a_key_whose_new_value_has_no_text_can_be_undone_too():
    class Unspeakable:
        def __repr__(self) -> str:
            raise ValueError("no text")

    py_trees = pytest.importorskip("py_trees")
    storage = py_trees.blackboard.Blackboard.storage
    storage["/goal"] = None
    try:
        with record([Frozen()], dt=DT, strict=True) as rec:
            with rec.frame():
                pass
            pause(rec)
            rec.edits.set_key("goal", Unspeakable())
            rec.edits.undo()
            assert storage["/goal"] is None
            rec.leave()
    finally:
        py_trees.blackboard.Blackboard.clear()
