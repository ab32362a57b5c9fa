"""The side channel's format, who hears what, and the recording's log."""

import pytest

from playhead.errors import GameError
from playhead.games.arena.fps.learning.side_channel import (
    LogType,
    SideChannel,
    SideChannelMessage,
    message,
    parse,
)
from playhead.recorder.statements.instrumentation_interface import NullInstrumentation


class Log(NullInstrumentation):
    def __init__(self):
        self.lines = []

    def log(self, text, *, level="info", object=0, channel=None):
        self.lines.append((level, text, channel))


def test_results_are_reported_as_warnings():
    side, heard = SideChannel(), []
    side.on_message(lambda result: heard.append((result.text, result.result)))
    side.result(True)
    side.result(False)
    assert heard == [("Warning|Result|Win", "Win"), ("Warning|Result|Lose", "Lose")]


def test_a_bare_command_means_to_save_and_a_third_field_says_something_else():
    side, heard = SideChannel(), []
    side.on_message(lambda result: heard.append((result.text, result.command, result.result)))
    side.ask()
    side.ask("stop")
    assert heard == [
        ("Warning|Command", "save", None),
        ("Warning|Command|stop", "stop", None),
    ]
    assert parse("Warning|Command|a|b").command == "a|b"
    assert parse("Error|Command").command is None


def test_warnings_and_errors_are_sent_and_all_are_logged():
    side, heard, log = SideChannel(), [], Log()
    side.instruments = log
    stop = side.on_message(lambda result: heard.append(result.type.value))
    for type in LogType:
        side.send(type, "Something")
    assert heard == ["Warning", "Error"]
    assert log.lines == [
        ("info", "Log|Something", "side"),
        ("warning", "Warning|Something", "side"),
        ("error", "Error|Something", "side"),
    ]
    stop()
    stop()
    side.error("Order", "no")
    assert heard == ["Warning", "Error"]


def test_fields_are_separated_by_bars_and_have_none_in_them():
    result = message(LogType.ERROR, "Order", "a|b")
    assert result.text == "Error|Order|a/b"
    assert parse(result.text) == result == SideChannelMessage(LogType.ERROR, ("Order", "a/b"))


@pytest.mark.parametrize("text", ["", "Warning", "Warning|", "warning|x", "Info|x", "|x"])
def test_what_is_no_message_is_refused(text):
    with pytest.raises(GameError, match="message"):
        parse(text)


def test_python_tells_the_environment_messages_too():
    side, read, heard = SideChannel(), [], []
    side.on_command(read.append)
    side.on_message(heard.append)
    result = side.tell("Log|Episode|12")
    assert read == [result]
    assert result.fields == ("Episode", "12")
    assert heard == []
    with pytest.raises(GameError):
        side.tell("nonsense")
    with pytest.raises(GameError, match="needs a field"):
        side.send(LogType.WARNING)
