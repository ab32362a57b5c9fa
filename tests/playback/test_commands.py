"""The commands on the wire, and which values they refuse."""

import math
from typing import Any, get_args

import msgspec
import numpy as np
import pytest

from playhead.errors import CommandError
from playhead.playback.commands import (
    FASTEST,
    LARGEST_ID,
    RATES,
    Advance,
    Command,
    Enter,
    Focus,
    Leave,
    Loop,
    LoopOff,
    Pause,
    Play,
    SeekFrame,
    SeekMark,
    SeekTime,
    Show,
    Step,
    enters,
    validated,
)

ONE_OF_EACH: list[Command] = [
    Enter(),
    Enter(1.5),
    Leave(),
    Play(),
    Play(-2.0, restart=True),
    Pause(),
    Step(-3),
    SeekTime(1.5),
    SeekFrame(7),
    SeekMark("door"),
    Loop(1.0, 2.0),
    LoopOff(),
    Advance(3),
    Focus(7),
    Show("ai", False),
]
NOT_NUMBERS: list[Any] = [math.nan, math.inf, -math.inf, None, "1", True, 10**400, [1]]
ONE: Any = 1
NOT_WHOLE: list[Any] = [1.0, math.nan, None, "1", True]


def test_the_list_above_holds_every_command() -> None:
    assert {type(command) for command in ONE_OF_EACH} == set(get_args(Command))


@pytest.mark.parametrize("command", ONE_OF_EACH, ids=repr)
@pytest.mark.parametrize("wire", [msgspec.msgpack, msgspec.json])
def test_a_command_survives_the_wire(command: Command, wire: Any) -> None:
    assert wire.decode(wire.encode(command), type=Command) == command
    assert validated(command) == command


def test_a_command_on_the_wire_is_named_by_its_key_do() -> None:
    assert msgspec.to_builtins(Step(-1)) == {"do": "step", "frames": -1}
    assert msgspec.to_builtins(SeekTime(2.0)) == {"do": "seek_time", "time": 2.0}
    assert msgspec.to_builtins(LoopOff()) == {"do": "loop_off"}


def test_a_misspelt_field_on_the_wire_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="tmie"):
        msgspec.json.decode(b'{"do": "enter", "tmie": 3.0}', type=Command)


def test_a_command_can_not_be_changed() -> None:
    step: Any = Step(1)
    with pytest.raises(AttributeError):
        step.frames = 2


@pytest.mark.parametrize("value", NOT_NUMBERS, ids=str)
def test_a_time_or_rate_that_is_no_finite_number_is_refused(value: Any) -> None:
    cases: list[tuple[Command, str]] = [
        (SeekTime(value), "time"),
        (Play(value), "rate"),
        (Loop(value, 2.0), "start"),
        (Loop(2.0, value), "end"),
    ]
    for command, field in cases:
        with pytest.raises(CommandError, match=field):
            validated(command)
    if value is not None:
        with pytest.raises(CommandError, match="enter: time is"):
            validated(Enter(value))


@pytest.mark.parametrize("value", NOT_WHOLE, ids=str)
def test_a_frame_or_object_that_is_no_whole_number_is_refused(value: Any) -> None:
    cases: list[tuple[Command, str]] = [
        (SeekFrame(value), "frame"),
        (Step(value), "frames"),
        (Focus(value), "object"),
    ]
    for command, field in cases:
        with pytest.raises(CommandError, match=field):
            validated(command)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (Play(0.0), "play: rate is 0.0"),
        (Play(FASTEST * 1.01), "play: rate is 101.0"),
        (Play(-0.001), "play: rate is -0.001"),
        (Step(0), "step: frames is 0"),
        (Loop(2.0, 2.0), "loop: end is 2.0"),
        (Loop(2.0, 1.0), r"loop: end is 1.0; give a time after start, which is 2.0"),
        (Focus(-1), "focus: object is -1"),
        (Focus(LARGEST_ID + 1), "focus: object is 9223372036854775808"),
        (SeekMark(""), "seek_mark: name is ''"),
        (Show("", True), "show: channel is ''"),
        (Show("ai", ONE), "show: on is 1"),
        (Play(1.0, restart=ONE), "play: restart is 1"),
        ("pause", "'pause' is no command; the commands are enter, leave, play"),
    ],
)
def test_a_refusal_names_the_command_the_field_and_the_value(command: Any, message: str) -> None:
    with pytest.raises(CommandError, match=message):
        validated(command)


@pytest.mark.parametrize("rate", RATES)
def test_every_offered_speed_is_accepted_both_ways(rate: float) -> None:
    assert validated(Play(rate)) == Play(rate)
    assert validated(Play(-rate)) == Play(-rate)


def test_two_speeds_at_least_are_faster_than_normal() -> None:
    assert len([rate for rate in RATES if rate > 1]) >= 2


def test_numpy_numbers_and_whole_times_become_plain_ones() -> None:
    three: Any = np.int64(3)
    step, seek = validated(Step(three)), validated(SeekTime(3))
    assert isinstance(step, Step)
    assert type(step.frames) is int
    assert isinstance(seek, SeekTime)
    assert type(seek.time) is float


def test_a_command_enters_playback_if_it_moves_to_a_frame() -> None:
    staying = {Leave, Advance, Loop, LoopOff, Focus, Show}
    for command in ONE_OF_EACH:
        assert enters(command) is (type(command) not in staying)


def test_a_number_that_is_too_long_to_be_written_is_refused_without_it() -> None:
    with pytest.raises(CommandError, match="focus: object is a number of thousands of digits"):
        validated(Focus(10**5000))
