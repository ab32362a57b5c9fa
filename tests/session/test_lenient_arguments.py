"""What people hand to a recording without thinking twice, and what a refusal tells them."""

import enum
import logging
import re
import sys
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import playhead as ph
from playhead.errors import CommandError, RecordingError
from playhead.recorder.packets.packet_types import Kind

DT = 1 / 64


class Plain(enum.Enum):
    IDLE = enum.auto()
    CHASE = enum.auto()


class Text(enum.StrEnum):
    IDLE = "stands about"
    CHASE = "runs after"


class Number(enum.IntEnum):
    IDLE = 4
    CHASE = 7


class Keys(enum.Flag):
    UP = 1
    DOWN = 2


each_kind = pytest.mark.parametrize("kind", [Plain, Text, Number])


@dataclass
class Guard:
    state: Any = None
    x: float = 0.0


@pytest.fixture
def guard():
    return Guard()


@pytest.fixture
def rec(guard):
    with ph.record(guard, "run.mcap", dt=DT, strict=True) as one:
        yield one


def saved(rec):
    """What is in the clip, once it is there."""
    rec.close()
    return ph.open("run.mcap")


def here() -> int:
    """The line that this is called in."""
    return sys._getframe(1).f_lineno


def in_thread(call):
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()


# --- members of enums ---------------------------------------------------------------------------


@each_kind
def test_states_and_conditions_that_are_members_of_an_enum_are_recorded_by_their_names(
    rec, guard, kind
):
    with rec.frame():
        rec.trace.state(
            guard, "ai", kind.IDLE, kind.CHASE, won=kind.CHASE, also_true=[kind.IDLE, "near"],
            rejected=[ph.Rejected(kind.IDLE, "bored")], values={"mode": kind.IDLE, "hp": 3},
        )  # fmt: skip
    with saved(rec) as run:
        [found] = run.transitions(1, to=kind.CHASE, source=kind.IDLE)
        assert (found.source, found.target, found.won) == ("IDLE", "CHASE", "CHASE")
        assert (found.also_true, found.values) == (("IDLE", "near"), {"mode": "IDLE", "hp": 3})
        assert found.rejected == (ph.Rejected("IDLE", "bored"),)
        assert run.state(1, "ai") == "CHASE"


@each_kind
def test_a_field_that_holds_a_member_of_an_enum_is_its_name_and_is_set_back_as_the_member(
    rec, guard, kind
):
    for guard.state in (kind.IDLE, kind.CHASE):
        with rec.frame():
            pass
    rec.apply(ph.commands.Enter(), now=True)
    rec.seek(frame=1)
    assert guard.state is kind.IDLE
    rec.leave()
    assert guard.state is kind.CHASE
    with saved(rec) as run:
        assert run.history(1, "state").values.tolist() == ["IDLE", "CHASE"]


def test_what_a_member_of_an_int_enum_counts_for_may_stand_in_its_place_in_a_handlers_field():
    handler = ph.FieldHandler(Guard(Number.IDLE), names=["state"])
    for number in (7, Number.CHASE):
        one = Guard(number)
        packed = bytearray(handler.fixed_size)
        handler.fields.write(one, packed)
        handler.fields.restore(one, bytes(packed))
        assert one.state is Number.CHASE


@each_kind
def test_facts_inputs_blackboards_marks_phases_and_texts_take_members_by_their_names(
    rec, guard, kind
):
    rec.trace.define_tree(guard, "tree", [ph.TreeNode("root")])
    with rec.frame():
        rec.fact(guard, "mood", kind.IDLE)
        rec.fact(guard, "plan", {"next": [kind.IDLE, kind.CHASE]})
        rec.input("pad", {kind.IDLE: True, "x": kind.CHASE, "held": Keys.UP | Keys.DOWN})
        rec.phase(kind.CHASE)
        rec.mark(kind.IDLE)
        rec.log(kind.CHASE)
        rec.draw.text((0, 0), kind.IDLE)
        rec.name(guard, kind.CHASE)
        rec.trace.tree(guard, "tree", ["running"], blackboard={"mode": kind.CHASE})
    source = rec.source
    facts = {key: value for (_, held, key), value in source.facts(1).items() if held == Kind.FACT}
    assert facts == {"mood": "IDLE", "plan": {"next": ["IDLE", "CHASE"]}}
    assert source.inputs(1)[0, "pad"] == {"IDLE": True, "x": "CHASE", "held": 3}
    assert (source.phase(1), [line.text for line in source.logs(1)]) == ("CHASE", ["CHASE"])
    assert source.drawn(1)[0].values["text"] == "IDLE"
    assert [mark.name for mark in source.marks()] == ["IDLE"]
    assert source.traces(1)[0][1].blackboard == {"mode": "CHASE"}


def test_statuses_of_a_tree_may_be_members_of_an_enum(rec, guard):
    status = enum.Enum("Status", "SUCCESS RUNNING")
    rec.trace.define_tree(guard, "tree", [ph.TreeNode("root"), ph.TreeNode("a", parent=0)])
    with rec.frame():
        rec.trace.tree(guard, "tree", [status.RUNNING, status.SUCCESS])
    assert rec.source.traces(1)[0][1].statuses == ("RUNNING", "SUCCESS")


def test_a_watched_member_of_an_int_enum_is_its_number_and_another_one_is_refused_with_advice(rec):
    with rec.frame():
        rec.watch("rank", Number.CHASE)
        with pytest.raises(RecordingError, match=r"'mode': <Plain.IDLE.*trace\.state\(\) records"):
            rec.watch("mode", Plain.IDLE)
    assert rec.source.watches(1) == {(0, "rank"): 7.0}


def test_a_machine_begins_in_the_state_that_comes_from_none(rec, guard):
    with rec.frame():
        rec.trace.state(guard, "ai", None, "Idle", won="start")
    with saved(rec) as run:
        assert [(one.source, one.target) for one in run.transitions(1)] == [("", "Idle")]


# --- levels, and lists of what ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected_level"),
    [
        ("warn", "warning"), ("WARNING", "warning"), ("Error", "error"), ("critical", "error"),
        ("FATAL", "error"), (logging.DEBUG, "debug"), (logging.INFO, "info"), (25, "info"),
        (logging.WARNING, "warning"), (logging.CRITICAL, "error"), (5, "debug"),
    ],
)  # fmt: skip
def test_a_level_may_be_written_as_in_logging(rec, given, expected_level):
    with rec.frame():
        rec.log("hello", level=given)
    assert [line.level for line in rec.source.logs(1)] == [expected_level]


@pytest.mark.parametrize("level", ["loud", "", 0, -10, True, None, 2.5])
def test_a_level_that_is_none_is_refused_with_those_that_there_are(rec, level):
    with pytest.raises(RecordingError, match=r"level .*: there are debug, info, warning, error"):
        rec.log("hello", level=level)


@pytest.mark.parametrize(
    ("trace_arguments", "message"),
    [
        ({"rejected": ["hurt"]}, r"rejected\[0\] is 'hurt': give a ph\.Rejected\(condition, reaso"),
        ({"rejected": "hurt"}, r"rejected='hurt': give a list of ph\.Rejected\("),
        ({"rejected": {"hurt": "hp 74"}}, r"rejected=\{'hurt': 'hp 74'\}: give a list of ph\.Rej"),
        ({"rejected": [("hurt", "hp 74")]}, r"rejected\[0\] is \('hurt', 'hp 74'\): give a ph\.Re"),
        ({"beliefs": [3]}, r"beliefs\[0\] is 3: give a ph\.Belief\(object, position, seen\)"),
        ({"also_true": "near"}, r"also_true='near': give a list of texts, \['near'\]"),
    ],
)
def test_a_list_of_something_else_is_refused_with_what_to_write(
    rec, guard, trace_arguments, message
):
    with pytest.raises(RecordingError, match=message):
        rec.trace.state(guard, "ai", "a", "b", won="x", **trace_arguments)


# --- whose line it is ---------------------------------------------------------------------------


def test_a_helper_has_the_line_of_its_caller_recorded_by_stacklevel(rec, guard):
    def helper():
        rec.trace.state(guard, "ai", "a", "b", won="x", stacklevel=2)
        rec.trace.tree(guard, "tree", ["running"], stacklevel=2)
        rec.trace.animation(guard, "body", [ph.AnimationClip("walk", 1.0)], stacklevel=2)
        rec.log("hello", stacklevel=2)
        rec.mark("here", stacklevel=2)
        rec.phase("one", stacklevel=2)
        rec.draw.line((0, 0), (1, 1), stacklevel=2)
        rec.draw.lines([((0, 0), (1, 1))], stacklevel=2)
        rec.draw.sphere((0, 0), 1, stacklevel=2)
        rec.draw.box((0, 0), (1, 1), stacklevel=2)
        rec.draw.polygon([(0, 0), (1, 1), (2, 0)], stacklevel=2)
        rec.draw.text((0, 0), "a", stacklevel=2)

    rec.trace.define_tree(guard, "tree", [ph.TreeNode("root")])
    with rec.frame():
        helper(); line = here()  # fmt: skip  # noqa: E702
    source = rec.source
    found = [*[one[1] for one in source.traces(1)], *source.logs(1), *source.drawn(1)]
    found += [*source.marks(), *source.phases()]
    assert len(found) == 12
    assert {(one.file, one.line) for one in found} == {(__file__, line)}


def test_a_helper_that_checks_for_its_callers_makes_the_checks_of_each(rec):
    def must(condition, message):
        return rec.check(condition, message, stacklevel=2)

    with rec.frame():
        lines = [here() + 1, here() + 2]
        must(rec.dt > 1, "one")
        must(rec.dt > 2, "two")
    assert [(one.file, one.line) for one in rec.failed_checks] == [
        (__file__, line) for line in lines
    ]
    assert rec.failed_checks[1].expression == "must(rec.dt > 2, 'two')"


def test_a_check_whose_stacklevel_leads_nowhere_is_made_where_it_stands(guard):
    with ph.record(guard, dt=DT, strict=False) as rec:
        with rec.frame():
            assert not rec.check(False, "no", stacklevel=1000)
        assert [one.file for one in rec.failed_checks] == [__file__]
        assert "stacklevel=1000" in rec.status.newest_fault


# --- drawings -----------------------------------------------------------------------------------


@pytest.mark.parametrize("latch", [None, "kept"])
@pytest.mark.parametrize(
    "point", [(1, 2), [1, 2], np.array([1.0, 2.0]), np.array([1, 2], np.int32), (1.0, 2.0, 0.0)]
)
def test_points_are_two_numbers_or_three_in_whatever_holds_them(rec, point, latch):
    with rec.frame():
        rec.draw.line(point, point, latch=latch)
        rec.draw.sphere(point, 1, latch=latch and "b")
        rec.draw.box(point, point, latch=latch and "c")
        rec.draw.text(point, "a", latch=latch and "d")
        rec.draw.lines([(point, point)], latch=latch and "e")
        rec.draw.polygon([point, point, point], latch=latch and "f")
    drawn = {one.kind: one for one in rec.source.drawn(1)}
    assert len(drawn) == 6
    assert {one.position for one in drawn.values()} == {(1.0, 2.0, 0.0)}
    assert drawn["line"].values["end"].tolist() == [1.0, 2.0, 0.0]
    assert drawn["box"].values["size"].tolist() == [1.0, 2.0, 0.0]
    assert drawn["polygon"].values["points"].tolist() == [[1.0, 2.0, 0.0]] * 3
    assert drawn["lines"].values["segments"].tolist() == [[[1.0, 2.0, 0.0]] * 2]


@pytest.mark.parametrize(
    ("color", "parts"),
    [
        ("tomato", (255, 99, 71, 255)), ("Red", (255, 0, 0, 255)), ("#ff8000", (255, 128, 0, 255)),
        ("#FF800040", (255, 128, 0, 64)), ([1, 2, 3], (1, 2, 3, 255)),
        (np.array([1, 2, 3, 4], np.uint8), (1, 2, 3, 4)),
    ],
)  # fmt: skip
def test_a_colour_is_numbers_a_name_or_what_a_web_page_says(rec, color, parts):
    with rec.frame():
        rec.draw.line((0, 0), (1, 1), color=color)
    packed = int(rec.source.drawn(1)[0].values["color"])
    assert tuple(packed.to_bytes(4, "little")) == parts


def test_a_worker_thread_draws_with_the_same_points_and_colours(rec):
    in_thread(lambda: rec.draw.sphere((1, 2), 3, color="tomato"))
    with rec.frame():
        pass
    [drawn] = rec.source.drawn(1)
    assert (drawn.position, drawn.values["radius"]) == ((1.0, 2.0, 0.0), 3.0)
    assert int(drawn.values["color"]) == int.from_bytes(bytes((255, 99, 71, 255)), "little")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda draw: draw.line(5, (1, 1)), "start 5: give three numbers"),
        (lambda draw: draw.line((0, 0), None), "end None: give three numbers"),
        (lambda draw: draw.line((0, "x", 0), (1, 1)), r"start \(0, 'x', 0\): give three numbers"),
        (lambda draw: draw.line((0, 0), (1,)), r"end \(1,\) has 1 numbers, not 3 or 2"),
        (lambda draw: draw.sphere((0, 0), "wide"), "radius 'wide': give a number"),
        (lambda draw: draw.box((0, 0), (1, 1), angles=0.5), "angles 0.5: give three numbers"),
        (lambda draw: draw.text("here", "a"), "position 'here' has 4 numbers, not 3 or 2"),
        (lambda draw: draw.line((0, 0), (1, 1), color="redish"), "color 'redish': .* tomato"),
        (lambda draw: draw.line((0, 0), (1, 1), color=7), "color 7: give three or four whole"),
        (lambda draw: draw.line((0, 0), (1, 1), color="#12345g"), "color '#12345g': give three"),
    ],
)
def test_a_wrong_drawing_is_given_with_its_part_and_value(rec, call, message):
    with pytest.raises(RecordingError, match=message):
        call(rec.draw)


# --- times, closed recordings, wrong arguments --------------------------------------------------


def test_the_time_that_a_story_prints_leads_back_to_its_frame(guard):
    with ph.record(guard, "run.mcap", dt=1 / 60) as rec:
        for step in range(200):
            with rec.frame():
                rec.check(step % 9, "not this one")
    with ph.open("run.mcap") as run:
        assert len(run.checks) > 20
        for failed in run.checks:
            shown = re.search(r"FAILED at ([\d.]+) s, frame (\d+)", failed.story)
            assert run.frames.at(float(shown[1])).number == int(shown[2]) == failed.frame
            assert f"at {shown[1]} s" in repr(failed)


STATEMENTS = {
    "watch": lambda rec: rec.watch("speed", 1.0),
    "log": lambda rec: rec.log("hello"),
    "mark": lambda rec: rec.mark("here"),
    "input": lambda rec: rec.input("pad", 1),
    "phase": lambda rec: rec.phase("one"),
    "fact": lambda rec: rec.fact(0, "a", 1),
    "name": lambda rec: rec.name(1, "a"),
    "trace": lambda rec: rec.trace.state(1, "ai", "a", "b", won="x"),
    "draw": lambda rec: rec.draw.line((0, 0, 0), (1, 1, 1)),
}
CLOSED = "this recording is closed, and takes nothing any more: ph.record or ph.Session begins an"


@pytest.mark.parametrize("cause", STATEMENTS)
def test_what_is_stated_after_the_end_is_refused_in_the_same_words(guard, cause):
    rec = ph.record(guard, dt=DT, strict=True)
    rec.close()
    with pytest.raises(RecordingError, match=CLOSED):
        STATEMENTS[cause](rec)
    rec = ph.record(guard, dt=DT, strict=False)
    rec.close()
    STATEMENTS[cause](rec)
    in_thread(lambda: STATEMENTS[cause](rec))
    assert rec.status.calls_refused == {cause: 2}


def test_a_program_that_goes_on_after_the_end_is_reported_once(guard, caplog):
    rec = ph.record(guard, dt=DT, strict=False)
    rec.close()
    for say in STATEMENTS.values():
        say(rec)
        say(rec)
    [line] = [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING]
    assert re.search(CLOSED, line)


def test_what_steps_saves_or_moves_time_after_the_end_says_the_same(guard):
    rec = ph.record(guard, dt=DT)
    with rec.frame():
        pass
    rec.close()
    for call in (rec.frame, rec.update, lambda: rec.add(guard), lambda: rec.save("late.mcap")):
        with pytest.raises(RecordingError, match=CLOSED):
            call()
    for move in (rec.enter, rec.leave, lambda: rec.seek(1.0)):
        with pytest.raises(CommandError, match=CLOSED):
            move()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda rec: rec.check(), r"check\(\) missing 2 required"),
        (lambda rec: rec.watch("speed"), r"watch\(\) missing 1 required"),
        (lambda rec: rec.play(1, 2, 3), r"play\(\) takes"),
        (lambda rec: rec.save(), r"save\(\) missing 1 required"),
        (lambda rec: ph.record([], dt=DT, memroy=3), r"record\(\) got an unexpected keyword"),
        (lambda rec: ph.record([]), r"record\(\) needs dt"),
    ],
)
def test_a_call_with_wrong_arguments_is_reported_by_the_name_that_was_called(rec, call, message):
    with pytest.raises(TypeError, match=f"^{message}"):
        call(rec)
