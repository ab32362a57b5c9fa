"""`playhead ask` and `playhead why-not`: what they print, their exit codes, and their errors."""

import json

import pytest

from playhead.recording_session import record

BRAIN = """
import playhead as ph


def choose(inputs):
    hurt = inputs["hp"] < 35
    condition = ph.ConditionResult(
        "hurt", "Flee", hurt, "" if hurt else f"hp {inputs['hp']}", inputs["hp"] - 35
    )
    return ph.DecisionResult("Flee" if hurt else "", "hurt" if hurt else "", (condition,))
"""


@pytest.fixture
def clip(tmp_path, monkeypatch):
    """Ten frames of a guard that decides by a module of this folder, and loses health."""
    import importlib

    (tmp_path / "brain.py").write_text(BRAIN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    brain = importlib.import_module("brain")
    with record([{"name": "north"}], tmp_path / "run.mcap", dt=0.1, strict=True) as rec:
        for step in range(10):
            with rec.frame():
                rec.trace.decide(1, "brain", brain.choose, {"hp": 80 - 5 * step})
                if step == 9:
                    rec.mark("hurt")
    return tmp_path / "run.mcap"


def test_a_decision_is_shown_with_its_inputs_and_conditions(clip, run_here):
    done = run_here("ask", clip, "--agent", "north", "--at", "0.35")
    assert done.code == 0, done.err
    assert done.out.splitlines() == [
        "brain · north · decided in frame 3 at 0.300 s",
        "recorded  (no change)",
        "again     (no change)",
        "Conditions",
        "  ✗ hurt → Flee  — hp 70",
        "Inputs",
        "  hp  70",
    ]


def test_an_edit_over_a_range_lists_the_frames_in_which_it_chooses_otherwise(
    clip, run_here, tmp_path
):
    (tmp_path / "edited.py").write_text(BRAIN.replace("< 35", "< 50"), encoding="utf-8")
    args = ("ask", clip, "--agent", "north", "--range", "#2..", "--with", tmp_path / "edited.py")
    done = run_here(*args)
    assert done.code == 0, done.err
    line, summary = done.out.splitlines()
    assert " ".join(line.split()) == (
        "0.800 s frames 8 to 10 (no change) → Flee, by hurt (3 decisions)"
    )
    assert summary.startswith("9 decisions, all as recorded; ")
    assert summary.endswith("would have chosen otherwise in 3 of them")
    rows = [json.loads(line) for line in run_here(*args, "--json").out.splitlines()]
    assert rows[-1] == {"decisions": 9, "reproduced": 9, "changed": 3}
    assert rows[0]["edited"]["target"] == "Flee"
    assert (rows[0]["reproduced"], rows[0]["changed"]) == (True, True)


def test_what_does_not_come_out_as_recorded_has_exit_code_1(clip, run_here, tmp_path):
    (tmp_path / "other.py").write_text(BRAIN.replace("< 35", "< 99"), encoding="utf-8")
    done = run_here("ask", clip, "--agent", "north", "--maker", "other:choose")
    assert done.code == 1
    assert "again     Flee, by hurt  ← NOT the same" in done.out
    assert run_here("ask", clip, "--agent", "north", "--maker", "other.py:choose").code == 1
    done = run_here("ask", clip, "--agent", "1", "--range", "0..9", "--maker", "other:choose")
    assert (done.code, done.out.splitlines()[-1]) == (1, "10 decisions, 10 NOT as recorded")


def test_why_not_names_the_condition_and_its_nearest_miss(clip, run_here):
    done = run_here("why-not", clip, "north", "Flee")
    assert done.code == 0, done.err
    assert done.out.splitlines() == [
        "north · brain: Flee did not come in frames 1 to 10",
        "  hurt      10 of 10  nearest: frame 10, 1.000 s, by 0: hp 35",
        "Nearest miss of hurt: frame 10 at 1.000 s",
        "  hp = 35",
    ]
    facts = run_here("why-not", clip, "north", "Flee", "--to", "0.45", "--json").facts
    assert (facts["decisions"], facts["obstacles"][0]["nearest"]["lacks"]) == (4, 30.0)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("why-not", "north", "Fleee"), "did you mean 'Flee'?"),
        (("why-not", "sorth", "Flee"), "did you mean 'north'?"),
        (("ask", "--agent", "north", "--at", "#99"), "frame 99 is not held"),
        (("ask", "--agent", "north", "--at", "9"), "9 s is not held"),
        (("ask", "--agent", "north", "--at", "hurd"), "did you mean 'hurt'?"),
        (("ask", "--agent", "north", "--range", "3"), "write a range as A..B"),
        (("ask", "--agent", "north", "--range", "0..1", "--at", "1"), "give one of them"),
        (("ask", "--agent", "north", "--with", "none.py"), "there is no such file"),
    ],
)  # fmt: skip
def test_mistakes_are_reported_in_a_line(args, said, clip, mistaken):
    command, *rest = args
    assert said in mistaken(command, clip, *rest)
