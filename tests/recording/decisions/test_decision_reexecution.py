"""Recorded decisions are made again, as they were and with an edit, and nothing else is called."""

import io
import pdb
import sys

import pytest

from playhead.errors import CommandError, EvictedError
from playhead.recorder.packets.reexecutable_decisions import DecisionMaker
from playhead.recorder.statements.decision_maker_reference import FUNCTION
from playhead.recording import open_file
from playhead.recording_session import record

from .conftest import CHOOSE


def test_every_decision_comes_out_as_it_was_recorded(guard_clip):
    with open_file.open(guard_clip()) as run:
        asked = list(run.ask_all("north"))
    assert [one.frame for one in asked] == list(range(1, 21))
    assert all(one.is_reproduced for one in asked)
    assert [one.recorded.target for one in asked] == [""] * 13 + ["Flee"] * 7
    assert asked[3].inputs == {"hp": 80.0, "away": 17.0}


def test_the_newest_decision_up_to_an_instant_is_meant(guard_clip):
    with open_file.open(guard_clip()) as run:
        assert run.ask("north", 14).recorded.target == "Flee"
        assert run.ask("north", at=0.65).frame == run.frames.at(0.65).number
        assert run.ask("north").frame == 20


def test_an_edit_is_laid_beside_and_the_frames_are_known_in_which_it_chooses_otherwise(
    guard_clip, tmp_path
):
    clip, edited = guard_clip(), tmp_path / "edited.py"
    edited.write_text(CHOOSE.replace("< 35", "< 55"), encoding="utf-8")
    with open_file.open(clip) as run:
        asked = list(run.ask_all("north", with_=edited))
        assert all(one.is_reproduced for one in asked)
        assert [one.frame for one in asked if one.is_changed] == [10, 11, 12, 13]
        one = run.ask("north", 10, with_=edited)
    assert one.edited is not None
    assert (one.recorded.target, one.again.target, one.edited.target) == ("", "", "Flee")
    assert one.changes == ("(no change) → Flee",)


def test_conditions_stand_side_by_side(guard_clip, tmp_path):
    clip, edited = guard_clip("choose_by_table"), tmp_path / "edited.py"
    edited.write_text(CHOOSE.replace("< 3\n", "< 12\n"), encoding="utf-8")
    with open_file.open(clip) as run:
        one = run.ask("north", 10, with_=edited)
    assert one.is_reproduced
    assert one.is_changed
    assert one.edited is not None
    assert (one.edited.target, one.edited.won) == ("Fight", "near")
    assert [each.condition for each in one.edited.rejected] == ["hurt"]
    assert [each.reason for each in one.again.rejected] == ["hp 50.0", "11.0 m away"]


def test_a_decision_that_looks_at_more_than_its_inputs_is_found_out(guard_clip, module, tmp_path):
    clip = guard_clip()
    (tmp_path / "brain.py").write_text(CHOOSE.replace("< 35", "< 90.0"), encoding="utf-8")
    del sys.modules["brain"]
    with open_file.open(clip) as run:
        one = run.ask("north", 5)
        assert not one.is_reproduced
        assert one.differences == ("(no change) → Flee",)
        assert one.notes == (f"the code has changed since then: {tmp_path / 'brain.py'}",)
        assert [each.frame for each in run.ask_all("north") if not each.is_reproduced] == [
            *range(3, 14)
        ]


def test_breakpoints_in_the_code_that_decides_hit(guard_clip, tmp_path):
    clip, seen = guard_clip(), []

    def trace(frame, event, argument):
        if frame.f_code.co_filename == str(tmp_path / "brain.py"):
            seen.append((frame.f_code.co_name, event, dict(frame.f_locals)))
            return trace
        return None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with open_file.open(clip) as run:
            run.ask("north", 15)
    finally:
        sys.settrace(before)
    lines = [where for name, event, where in seen if name == "choose" and event == "line"]
    assert lines[-1] == {"inputs": {"hp": 25.0, "away": 6.0}, "hurt": True}


def test_pdb_stops_in_it(guard_clip, tmp_path):
    clip, said = guard_clip(), io.StringIO()
    typed = io.StringIO("continue\np inputs['hp']\ncontinue\n")  # it stops where it is started, too
    debugger = pdb.Pdb(stdin=typed, stdout=said, readrc=False)
    line = CHOOSE.splitlines().index('    hurt = inputs["hp"] < 35') + 1
    with open_file.open(clip) as run:
        assert debugger.set_break(str(tmp_path / "brain.py"), line) is None
        assert debugger.runcall(run.ask, "north", 15).is_reproduced
    debugger.clear_all_breaks()
    assert "25.0" in said.getvalue()


def test_a_function_for_which_nobody_recorded_who_decides_is_named_by_whoever_asks(
    module, tmp_path
):
    module("brain", CHOOSE)
    with record([{"name": "a"}], tmp_path / "run.mcap", dt=0.1, strict=True) as rec, rec.frame():
        rec.trace.decision(1, "brain", {"hp": 20.0}, "Flee")
    with open_file.open(tmp_path / "run.mcap") as run:
        with pytest.raises(CommandError, match="does not say which function decides for 'brain'"):
            run.ask(1)
        assert run.ask(1, maker="brain:choose").is_reproduced
        with pytest.raises(CommandError, match="did you mean 'choose'"):
            run.ask(1, maker="brain:chose")
        with pytest.raises(CommandError, match="can't be loaded"):
            run.ask(1, maker="brian:choose")
        with pytest.raises(CommandError, match="write MODULE:FUNCTION"):
            run.ask(1, maker="brain")


@pytest.mark.parametrize(
    ("function", "said"),
    [("subprocess:run", "no code of yours"), ("os:system", "no code of yours"),
     ("pytest:main", "no code of yours"), ("builtins:exec", "no code of yours")],
)  # fmt: skip
def test_a_recording_can_have_nothing_called_but_code_of_ones_own(function, said, tmp_path):
    settings = {"function": function, "is_trusted": True, "edit": str(tmp_path / "evil.py")}
    (tmp_path / "evil.py").write_text("raise SystemError('it was executed')", encoding="utf-8")
    hostile = (
        (DecisionMaker(FUNCTION, settings), said),
        (DecisionMaker(function, "touch evil"), "this version knows no decider"),
        (DecisionMaker("playhead.cli.main:main", ()), "this version knows no decider"),
    )
    for number, (maker, message) in enumerate(hostile):
        path = tmp_path / f"{number}.mcap"
        with record([{"name": "a"}], path, dt=0.1, strict=True) as rec, rec.frame():
            rec.trace.decision(1, "brain", {"rm": 1}, "", maker=maker)
        with open_file.open(path) as run, pytest.raises(CommandError, match=message):
            run.ask(1)


MISTAKES = {
    "raise": ("raise KeyError('hp')\n", "can't be loaded: KeyError"),
    "syntax": ("def choose(:\n", "can't be loaded: SyntaxError"),
    "missing": ("def chooze(inputs): ...\n", "has no 'choose': did you mean 'chooze'?"),
    "loads for ever": ("while True: pass\n", "did not come to an end within 0.2 s"),
    "decides for ever": (
        "def choose(inputs):\n  while True: pass\n", "did not come to an end within 0.2 s",
    ),
    "waits for ever": (
        "import time\ndef choose(inputs): time.sleep(100)\n", "did not come to an end",
    ),
    "swallows": (
        "def choose(inputs):\n  while True:\n    try: inputs['x']\n    except Exception: pass\n",
        "did not come to an end",
    ),
    "raises": ("def choose(inputs): return inputs['way']\n", "raised an error: KeyError"),
    "ends": ("def choose(inputs): raise SystemExit\n", "tried to end the program"),
    "no function": ("choose = 3\n", "choose is no function, but a int"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_is_wrong_with_an_edit_is_reported(mistake, guard_clip, tmp_path):
    text, said = MISTAKES[mistake]
    clip, edited = guard_clip(), tmp_path / "edited.py"
    edited.write_text(text, encoding="utf-8")
    with open_file.open(clip) as run, pytest.raises(CommandError, match="edited.py") as refused:
        run.ask("north", 14, with_=edited, time_limit=0.2)
    assert said in str(refused.value)


def test_what_can_t_be_asked_is_reported(guard_clip, tmp_path):
    with open_file.open(guard_clip()) as run:
        with pytest.raises(CommandError, match="'nroth'.*did you mean 'north'"):
            run.ask("nroth")
        with pytest.raises(EvictedError, match="frame 99 is not held"):
            run.ask("north", 99)
        with pytest.raises(CommandError, match="no decider 'brian'"):
            run.ask("north", decider="brian")
        with pytest.raises(CommandError, match="there is no such file"):
            run.ask("north", with_=tmp_path / "none.py")
        with pytest.raises(CommandError, match="give seconds"):
            run.ask("north", time_limit=0)


def test_a_recording_without_inputs_says_what_records_them(tmp_path):
    guards = [{"name": "north"}]
    with record(guards, tmp_path / "run.mcap", dt=0.1, strict=True) as rec, rec.frame():
        rec.trace.state(1, "brain", None, "Calm", won="start")
    with open_file.open(tmp_path / "run.mcap") as run:
        with pytest.raises(CommandError, match="no decision is recorded with what it was made"):
            run.ask("north")
        with pytest.raises(CommandError, match="no decision is recorded"):
            list(run.ask_all("north"))


def test_a_program_that_decides_itself_is_loaded_only_if_that_does_not_start_it(tmp_path):
    def asked(text: str) -> str:
        program = tmp_path / "program.py"
        program.write_text(text, encoding="utf-8")
        maker = DecisionMaker(FUNCTION, {"function": "__main__:choose", "file": str(program)})
        path = tmp_path / "run.mcap"
        with record([{"name": "a"}], path, dt=0.1, strict=True) as rec, rec.frame():
            rec.trace.decision(1, "brain", {"hp": 1}, "Flee", maker=maker)
        with open_file.open(path) as run:
            try:
                return run.ask(1).again.target
            except CommandError as error:
                return str(error)

    choose = "def choose(inputs): return 'Flee'\n"
    assert "loading it would run it" in asked(f"{choose}raise SystemError('it ran')\n")
    assert asked(f"{choose}if __name__ == '__main__':\n    raise SystemError('it ran')\n") == "Flee"
