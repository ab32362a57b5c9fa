"""`playhead ctl`, run in the test's process on a game in a thread: what it says, and its errors."""

import json
import os
import re
import threading
from collections.abc import Callable
from typing import Any

import pytest

from playhead.bus.messages.encryption_keys import ServerKeys, load, make
from playhead.playback.commands import Enter
from playhead.recorder.clips.verify_clip import verify

from ...support.process import PLAYHEAD, Process
from ...support.stage import IMPATIENT

COMMANDS = (
    "status", "tail", "enter", "leave", "play", "pause", "step", "seek", "loop", "advance",
    "call", "published", "focus", "channel", "mark", "save", "trigger", "hook", "edit",
    "edit-key", "undo", "redo",
)  # fmt: skip


@pytest.fixture
def game(played):
    """A game with 128 frames, two seconds."""
    game = played()
    game.run(128)
    return game


@pytest.fixture
def ctl_of(run_here) -> Callable[..., Any]:
    return lambda *args: run_here("ctl", *args)


@pytest.fixture
def ctl(game, ctl_of) -> Callable[..., Any]:
    return lambda *args: ctl_of(game.endpoint, *args)


# --- moving -----------------------------------------------------------------------------------


def test_the_commands_move_the_game_and_say_where_it_is(game, ctl):
    assert ctl("enter") == (0, "paused   frame 128     2.000 s\n", "")
    assert not game.session.live
    assert ctl("step").out == (
        "paused   frame 128     2.000 s   (that is the end:"
        " frames 1 … 128 are held, 0.015625 … 2.000 s)\n"
    )
    assert ctl("step", "-3").out == "paused   frame 125     1.953125 s\n"
    assert game.cart.position[0] == 125 / 64
    assert ctl("seek", "1.5").out == "paused   frame 96      1.500 s\n"
    assert ctl("enter", "0.25").out == "paused   frame 16      0.250 s\n"
    assert ctl("play", "-0.5").out == "playing  frame 16      0.250 s   ×-0.5\n"
    assert ctl("pause").out.startswith("paused   frame 16 ")
    assert ctl("loop", "0.5", "1").out.startswith("paused   frame 16 ")
    assert ctl("loop", "0.5", "1").out.endswith("loop 0.500–1.000 s\n")
    assert "loop" not in ctl("loop", "off").out
    assert ctl("focus", "1").out.endswith("focus 1\n")
    assert ctl("channel", "ai", "off").out.endswith("focus 1   hidden ai\n")
    assert ctl("channel", "ai", "on").out.endswith("focus 1\n")
    assert ctl("leave").out.startswith("live     frame 128     2.000 s")
    assert game.session.live
    assert game.cart.position[0] == 2.0


def test_advance_runs_the_game_at_its_newest_frame_and_pauses_again(game, ctl):
    ctl("enter")
    with game.running():
        assert ctl("advance", "3").out.startswith("paused   frame 131 ")
        assert ctl("advance").out.startswith("paused   frame 132 ")
    assert not game.session.live
    ctl("seek", "#7")
    assert "advance: playback is at frame 7" in ctl("advance").err
    assert "steps is -1" in ctl("advance", "-1").err


@pytest.mark.parametrize("args", [("#40",), ("--frame", "40"), ("0.625",), ("the turn",)])
def test_seek_takes_a_frame_a_time_or_a_mark(game, ctl, args):
    game.run(1)
    assert ctl("seek", "#40").code == 0
    assert ctl("mark", "the turn").code == 0
    ctl("leave")
    game.run(1)
    assert ctl("seek", *args).out.startswith("paused   frame 40 ")


def test_a_mark_whose_name_is_a_number_is_sought_by_its_option(game, ctl):
    ctl("seek", "#9")
    ctl("mark", "100")
    ctl("leave")
    game.run(1)
    assert ctl("seek", "--mark", "100", "--json").facts["frame"] == 9
    assert ctl("seek", "100", "--json").facts["clamped"]


def test_a_frame_below_the_oldest_is_clamped_and_reported(ctl):
    assert "that is the end: frames 1 … 128 are held" in ctl("seek", "#-5").out
    assert "that is the end" in ctl("seek", "-3").out


def test_an_unknown_mark_is_reported_with_the_nearest(game, ctl):
    ctl("enter")
    ctl("mark", "the turn")
    ctl("leave")
    game.run(1)
    done = ctl("seek", "the tun")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "playhead: seek_mark: no mark is named 'the tun': did you mean 'the turn'?\n"
    )


@pytest.mark.parametrize("args", [(), ("1", "--frame", "2"), ("--mark", "a", "--frame", "2")])
def test_seek_wants_one_place_and_says_that_a_shell_eats_the_hash(ctl, args):
    done = ctl("seek", *args)
    assert done.code == 2
    assert "'#FRAME' in quotes (a shell takes # for a comment)" in done.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("step", "0"), "step: frames is 0"),
        (("step", "x"), "'x' is not a valid integer"),
        (("step", "--frames"), "'--frames' is not a valid integer"),
        (("play", "1000"), "play: rate is 1000.0"),
        (("play", "fast"), "'fast' is not a valid float"),
        (("loop", "1"), "loop 1: give two times in seconds, or off"),
        (("loop", "2", "1"), "loop: end is 1.0"),
        (("loop", "of"), "loop of: give two times in seconds, or off"),
        (("channel", "ai", "maybe"), "'maybe' is not one of 'on', 'off'"),
        (("focus", "-1"), "-1"),
        (("seek", "nan"), "seek_time: time is nan"),
        (("stepp", "1"), "no command 'stepp': did you mean 'step'?"),
        (("zzz",), "there are status, tail, enter"),
        ((), "Missing command"),
    ],
)
def test_mistakes_are_reported_in_plain_lines_and_nothing_moves(game, ctl, args, message):
    done = ctl(*args)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "Traceback" not in done.err
    assert game.session.live


def test_the_endpoint_comes_first(ctl_of):
    done = ctl_of("enter")
    assert done.code == 2
    assert "enter whom? ENDPOINT comes before the command: playhead ctl 5670 enter" in done.err


# --- marks ------------------------------------------------------------------------------------


def test_a_mark_in_playback_can_be_sought_at_once_and_is_recorded_once_the_game_runs_on(game, ctl):
    ctl("seek", "#50")
    message = ctl("mark", "odd", "--note", "see this", "--focus", "1").out
    assert message == "marked   frame 50      0.78125 s   odd: once the game runs on\n"
    ctl("seek", "#70")
    assert ctl("seek", "odd").out == "paused   frame 50      0.78125 s\n"
    ctl("leave")
    game.run(1)
    (mark,) = game.session.source.marks()
    assert (mark.name, mark.frame, mark.note, mark.object) == ("odd", 50, "see this", 1)


def test_a_mark_of_a_running_game_can_be_sought_at_once(game, ctl):
    ended = threading.Event()

    def run() -> None:
        while not ended.wait(0.005):
            game.run(1)

    running = threading.Thread(target=run)
    running.start()
    try:
        marked = ctl("mark", "here", "--json").facts
    finally:
        ended.set()
        running.join()
    assert not marked["waits"]
    assert ctl("seek", "here", "--json").facts["frame"] == marked["frame"] >= 128


def test_nothing_can_be_marked_before_the_first_frame(played, ctl_of):
    done = ctl_of(played().endpoint, "mark", "x")
    assert (done.code, done.err) == (2, "playhead: mark 'x': nothing is recorded yet\n")


# --- what is behind the game ----------------------------------------------------------------


def test_the_game_does_what_it_serves_and_its_answer_is_printed_as_json(game, ctl):
    heard = []
    game.do(lambda: game.session.serve("level", lambda body: heard.append(body) or {"was": [2]}))
    assert ctl("call", "level", '{"to": 3}') == (0, '{"was": [2]}\n', "")
    assert ctl("call", "level", "--json").facts == {"name": "level", "result": {"was": [2]}}
    assert heard == [{"to": 3}, None]


def test_a_mistaken_call_is_reported_in_one_line(game, ctl):
    game.do(lambda: game.session.serve("level", lambda body: body["to"]))
    done = ctl("call", "level", "hard")
    assert done.code == 2
    assert "'hard' is no JSON" in done.err
    assert """text has quotes of its own: '"hard"'""" in done.err
    assert ctl("call", "levle").err == (
        "playhead: call 'levle': this game serves no function of that name: did you mean 'level'?\n"
    )
    done = ctl("call", "level", "{}", "--json")
    assert done.code == 2
    assert "KeyError('to')" in done.facts["error"]["message"]


def test_what_the_game_has_published_is_printed_with_its_frame(game, ctl):
    done = ctl("published", "panel")
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith("published 'panel': the game has not published it: there are none\n")
    game.do(lambda: game.session.publish("panel", {"lives": 3}))
    assert ctl("published", "panel") == (0, 'frame 128     2.000 s   {"lives": 3}\n', "")
    assert ctl("published", "panel", "--json").facts == {
        "name": "panel", "body": {"lives": 3}, "time": 2.0, "frame": 128,
    }  # fmt: skip
    assert ctl("published", "pannel").err.endswith("did you mean 'panel'?\n")


# --- facts ------------------------------------------------------------------------------------


def test_with_json_a_command_answers_with_one_object(ctl):
    assert ctl("seek", "1", "--json").facts == {
        "mode": "paused", "frame": 64, "time": 1.0, "rate": 1.0, "clamped": False, "loop": None,
        "focus": 0, "hidden": [],
        "span": {"oldest": 1, "newest": 128, "start": 1 / 64, "end": 2.0},
    }  # fmt: skip


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_options_may_stand_anywhere(game, ctl_of, place):
    args = [game.endpoint, "step", "-2"]
    args.insert(place, "--json")
    done = ctl_of(*args)
    assert done.code == 0, done.err
    assert done.facts["frame"] == 126


def test_what_follows_two_dashes_is_no_option(game, ctl):
    assert ctl("mark", "--", "--json").out.endswith("   --json\n")


def test_status_says_who_is_there_and_what_is_recorded(game, ctl):
    result = ctl("status").out.splitlines()
    assert [line.split()[0] for line in result] == [
        "now", "game", "held", "memory", "cost", "dropped", "lost", "tools",
    ]  # fmt: skip
    assert result[0].endswith("live     frame 128     2.000 s")
    assert "rails" in result[1]
    assert "frames 1 … 128" in result[2]
    facts = ctl("--json", "status").facts
    assert facts["now"]["frame"] == facts["span"]["newest"] == 128
    assert facts["game"] == {"game": "rails"}
    assert facts["endpoint"] == game.endpoint
    assert facts["recorder"]["frames"] == 128
    assert facts["bus"]["requests"] > 0
    assert [tool.partition("#")[0] for tool in facts["tools"]] == ["ctl"]


def test_status_of_a_game_that_has_recorded_nothing(played, ctl_of):
    done = ctl_of(played().endpoint, "status")
    assert done.code == 0
    assert "held      nothing yet" in done.out


def test_tail_prints_each_new_instant_until_it_has_printed_enough(game):
    with Process(PLAYHEAD, "ctl", game.endpoint, "tail", "--count", "4", "--json") as tail:
        first = json.loads(tail.line())
        game.run(2)
        game.do(lambda: game.session.apply(Enter(), now=True))
        code, rest, _ = tail.end()
    result = [first, *map(json.loads, rest.splitlines())]
    assert [(one["mode"], one["frame"]) for one in result] == [
        ("live", 128), ("live", 129), ("live", 130), ("paused", 130),
    ]  # fmt: skip
    assert code == 0


def test_tail_ends_well_when_it_is_interrupted(game):
    with Process(PLAYHEAD, "ctl", game.endpoint, "tail") as tail:
        assert tail.line().startswith("live     frame 12")
        code, _, err = tail.interrupt()
    assert (code, err) == (0, "")


def test_tail_ends_well_when_nobody_reads_on(game):
    read, write = os.pipe()
    with Process(PLAYHEAD, "ctl", game.endpoint, "tail", stdout=write) as tail:
        os.close(write)
        assert os.read(read, 15) == b"live     frame "
        os.close(read)
        game.run(1)
        code, _, err = tail.end()
    assert (code, err) == (0, "")


# --- nobody there, busy, locked ---------------------------------------------------------------


def test_nobody_there_is_reported_in_one_line(ctl_of):
    done = ctl_of("1", "status", "--timeout", "0.2")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("playhead: tcp://127.0.0.1:1: no playhead answers there within 0.2")


def test_an_address_that_is_none_is_reported(ctl_of):
    assert "address 'no where'" in ctl_of("no where", "status").err


def test_with_json_an_error_is_an_object(ctl_of):
    done = ctl_of("1", "status", "--timeout", "0.2", "--json")
    assert (done.code, done.err) == (2, "")
    assert done.facts["error"]["kind"] == "bus"


def test_a_game_in_a_long_step_is_busy_and_still_tells_its_status(played, ctl_of):
    game = played(patience=IMPATIENT)
    game.run(1)
    until = threading.Event()
    game.block(until)
    try:
        done = ctl_of(game.endpoint, "enter", "--json")
        assert done.code == 2
        assert done.facts["error"]["kind"] == "busy"
        assert ctl_of(game.endpoint, "status").code == 0
    finally:
        until.set()
    game.run(1)  # the game's thread is free again
    assert ctl_of(game.endpoint, "enter").code == 0


def test_a_locked_game_answers_only_with_the_right_keys(played, tmp_path, ctl_of):
    own, own_secret = make("studio", tmp_path / "studio")
    _, secret = make("ann", tmp_path / "clients")
    _, stranger = make("bob", tmp_path / "bob")
    lock = ServerKeys(load(own_secret), tmp_path / "clients")
    endpoint = played(lock=lock).endpoint
    keys = ("--server", str(own), "--timeout", "2", "--keys")
    assert ctl_of(endpoint, "status", *keys, str(secret)).code == 0
    refused = ctl_of(endpoint, "status", *keys, str(stranger))
    assert "Are the keys right?" in refused.err
    half = ctl_of(endpoint, "status", "--server", str(own))
    assert (half.code, half.out) == (2, "")
    assert "a locked service takes both" in half.err
    wrong = ctl_of(endpoint, "status", *keys, str(own))
    assert "holds no secret key" in wrong.err


# --- clips ------------------------------------------------------------------------------------


def test_what_is_recorded_is_saved_at_the_playhead(game, ctl, tmp_path):
    done = ctl("save", "bug.mcap")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("saved    128 frames, ")
    assert done.out.endswith(f": {tmp_path / 'bug.mcap'}\n")
    assert verify(tmp_path / "bug.mcap").frames == 128
    facts = ctl("save", "part.mcap", "--from", "10", "--to", "19", "--json").facts
    assert (facts["path"], facts["frames"], facts["done"]) == (
        str(tmp_path / "part.mcap"), 10, True,
    )  # fmt: skip
    again = ctl("save", "bug.mcap")
    assert again.code == 2
    assert "this is there already" in again.err
    assert "overwrite" in again.err
    shorter = ctl("save", "bug.mcap", "--overwrite", "--to", "9", "--json").facts
    assert (shorter["frames"], verify(tmp_path / "bug.mcap").frames) == (9, 9)
    assert sorted(path.name for path in tmp_path.glob("*.mcap")) == ["bug.mcap", "part.mcap"]
    assert "a clip is a file *.mcap" in ctl("save", "bug.txt").err


def test_a_trigger_is_begun_and_not_waited_for(game, ctl):
    assert ctl("trigger", "stuck", "--pre", "1", "--post", "0.5") == (0, "saving   stuck\n", "")
    game.run(40)
    assert ctl("trigger", "again", "--json").facts["name"] == "again"
    first, _ = game.session.clips.begun
    assert first.wait(20)
    assert first.saved.frames == 98


# --- help -------------------------------------------------------------------------------------


def test_the_help_lists_all_commands(ctl_of):
    for args in (["--help"], ["5670", "--help"], ["5670", "-h"]):
        done = ctl_of(*args)
        assert done.code == 0
        _, _, listed = done.out.partition("Commands:")
        rows = [line for line in listed.splitlines() if line[2:3].strip()]
        assert [row.split()[0] for row in rows] == list(COMMANDS)
        assert "..." not in listed  # each with its whole first sentence


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_its_own_help(ctl_of, name):
    for args in ([name, "--help"], ["5670", name, "-h"]):
        done = ctl_of(*args)
        assert done.code == 0
        assert done.out.startswith(f"Usage: playhead ctl ENDPOINT {name} ")


# --- hooks and edits ----------------------------------------------------------------------------


def test_a_field_is_hooked_asked_about_edited_and_undone(game, ctl):
    game.run(2)
    past = ctl("hook", "past", "1", "--field", "position.x")
    assert past.code == 0
    assert past.out.startswith("field position.x: ")
    done = ctl("hook", "trace", "1", "--field", "position.x", "--times", "2")
    assert done.code == 0
    assert done.out.startswith("  1  trace    field position.x of cart 1   armed, not yet\n")
    game.run(4)
    [report] = ctl("hook", "list", "--json").facts
    assert (report["hits"], report["state"]) == (2, "done")
    assert ctl("hook", "enable", "1").code == ctl("hook", "disable", "1").code == 0
    assert ctl("hook", "remove", "1") == (0, "no hook is set\n", "")
    for _ in range(2):
        assert ctl("hook", "trace", "1", "--field", "position.x").code == 0
    assert ctl("hook", "clear") == (0, "no hook is set\n", "")
    ctl("enter")
    assert ctl("edit", "1", "position.x", "5").out.endswith("-> 5.0\n")
    assert ctl("undo").out.startswith("undone")
    assert ctl("redo").out.startswith("edited")
    ctl("leave")
    assert "the game runs: pause it with enter() first" in ctl("edit", "1", "position.x", "5").err


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("hook", "trace", "1"), "name one location"),
        (("hook", "trace", "1", "--field", "positon"), "did you mean 'position'?"),
        (("hook", "mock", "1", "--node", "x"), "Missing argument"),
        (("hook", "remove", "9"), "hook 9: it is not set"),
        (("hook", "trace", "1", "--field", "position", "--when", "x <"), "invalid syntax"),
        (("edit", "nobody", "x", "1"), "no object has a name|nobody"),
    ],
)
def test_a_mistaken_hook_is_reported_in_a_line(game, ctl, args, why):
    done = ctl(*args)
    assert done.code != 0
    assert re.search(why, done.err)
    assert "Traceback" not in done.err
