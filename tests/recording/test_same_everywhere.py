"""Whatever is asked, a clip, a ring file and a running game answer alike."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from playhead.errors import PlayheadError
from playhead.recording.recording import Recording

from .guards import CAPTAIN, DT, FAILS, FRAMES, VISITOR

QUESTIONS: dict[str, Callable[[Recording], Any]] = {
    "span": lambda run: run.span,
    "duration": lambda run: run.duration,
    "frames": lambda run: [list(run.frames), len(run.frames), list(run.frames[5:50:7])],
    "a frame": lambda run: [run.frames.at(0.5), run.frames.number(7), run.frames[-1]],
    "about": lambda run: [run.about, run.conventions],
    "objects": lambda run: [run.objects(), run.objects(12), run.objects(at=0.4, type="Crate")],
    "fields": lambda run: [one.fields for one in run.objects(33)],
    "an object": lambda run: run.object("visitor", 15),
    "an object that is not there": lambda run: run.object("visitor"),
    "a number": lambda run: run.history(1, "hp"),
    "an integer": lambda run: run.history("guard 2", "ammo", first=3, last=17),
    "a text": lambda run: run.history(1, "mood"),
    "a vector": lambda run: run.history(1, "position", start=0.2, end=0.7),
    "a part": lambda run: run.history(1, "velocity.y"),
    "an axis": lambda run: run.history(100, "y"),
    "who came and went": lambda run: run.history("visitor", "hp"),
    "with gaps": lambda run: run.history("visitor", "position", missing="nan"),
    "several": lambda run: run.history(["guard 1", CAPTAIN], "visible"),
    "streamed": lambda run: list(run.histories("hp", type="Guard")),
    "no such field": lambda run: run.history(1, "mana"),
    "no such object": lambda run: run.history(55, "hp"),
    "two of one name": lambda run: run.history("crate", "weight"),
    "a name of before": lambda run: run.history("recruit", "hp"),
    "nobody's name": lambda run: run.history("nobody", "hp"),
    "transitions": lambda run: run.transitions(),
    "transitions of one": lambda run: run.transitions("guard 1", "ai", to="Attack"),
    "transitions from": lambda run: run.transitions(source="Idle", start=0.3),
    "late transitions": lambda run: run.transitions("guard 2", last=30),
    "states": lambda run: [run.state(1, "ai", frame=frame) for frame in range(1, FRAMES + 1)],
    "the state of who is gone": lambda run: [run.state(VISITOR, frame=15), run.state(VISITOR)],
    "a late state": lambda run: [run.state(2, "mood", frame=frame) for frame in (20, 30, 40)],
    "no such machine": lambda run: run.state(1, "wings"),
    "which machine": lambda run: run.state(1),
    "trees": lambda run: run.trees(),
    "a tree": lambda run: [run.tree("guard 2", at=at) for at in (0.1, 0.5, 0.9)],
    "changes of nodes": lambda run: run.node_changes("guard 2"),
    "changes of a node": lambda run: run.node_changes("guard 2", "mind", "flee", first=20),
    "no such node": lambda run: run.node_changes("guard 2", node="swim"),
    "beliefs": lambda run: [run.beliefs(agent, frame=50) for agent in (1, 2, 7)],
    "checks": lambda run: run.checks,
    "stories": lambda run: [check.story for check in run.checks],
    "marks": lambda run: run.marks,
    "logs": lambda run: run.logs(),
    "warnings": lambda run: run.logs("warning", "guard 1"),
    "late lines": lambda run: run.logs(text="late", last=35),
    "watched": lambda run: run.watches("guard 1", "distance"),
    "watched of the world": lambda run: run.watches(0, "light", start=0.3, end=0.5),
    "never watched": lambda run: run.watches(0, "darkness"),
    "inputs": lambda run: run.inputs(),
    "inputs of one": lambda run: run.inputs("pad", "guard 1", first=5, last=9),
    "inputs of nobody": lambda run: run.inputs("pad", 0),
    "events": lambda run: run.events(),
    "events of one": lambda run: run.events("hit", "guard 2", first=5, end=0.4),
    "events of nobody": lambda run: run.events(object=0),
    "pictures": lambda run: list(run.pictures()),
    "pictures of one": lambda run: list(run.pictures("map", start=0.3)),
    "a picture": lambda run: [run.picture(frame) for frame in (9, 10, 29, 30, 60)],
    "a picture at": lambda run: [run.picture(at=0.7, name=name) for name in ("screen", "map")],
    "no such picture": lambda run: run.picture(name="radar"),
    "a picture of no frame": lambda run: run.picture(1000),
    "phases": lambda run: run.phases(),
    "phases of a stretch": lambda run: run.phases(last=20),
    "losses": lambda run: run.losses,
    "damage": lambda run: run.damage,
    **{
        f"table {name}": lambda run, name=name: run.table(name)
        for name in ("frames", "objects", "transitions", "traces", "checks", "marks", "logs",
                     "watches", "inputs", "events", "phases")
    },
    "some objects": lambda run: run.table("objects", type="Guard", every=3, first=5, last=25),
    "before it began": lambda run: run.objects(at=-2.0),
    "after it ended": lambda run: run.objects(at=99.0),
    "no such frame": lambda run: run.objects(1000),
}  # fmt: skip


def plain(value: Any) -> Any:
    """Comparable: arrays with their types as lists."""
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, plain(value.tolist())
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if hasattr(value, "columns"):
        return {name: plain(value[name]) for name in value.columns}
    return value


def answer(run: Recording, question: Callable[[Recording], Any]) -> Any:
    """What it says, or which error it raises with which words."""
    try:
        return plain(question(run))
    except PlayheadError as error:
        return type(error), str(error)


@pytest.mark.parametrize("form", ["ring", "live"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_answered_as_by_the_clip(
    name: str, form: str, recordings: dict[str, Recording]
) -> None:
    expected = answer(recordings["clip"], QUESTIONS[name])
    assert answer(recordings[form], QUESTIONS[name]) == expected


@pytest.mark.parametrize("form", ["clip", "ring", "live"])
def test_what_they_answer_is_what_happened(form: str, recordings: dict[str, Recording]) -> None:
    run = recordings[form]
    assert len(run.frames) == FRAMES
    times, hp = run.history("guard 2", "hp")
    assert times.tolist() == [step * DT for step in range(1, FRAMES + 1)]
    assert hp.tolist() == [100.0 - step * 2 / 10 for step in range(1, FRAMES + 1)]
    times, hp = run.history(VISITOR, "hp")
    assert times.tolist() == [step * DT for step in range(10, 30)]
    assert [one.name for one in run.objects(25) if one.type == "Guard"] == [
        "guard 1", "guard 2", "captain", "visitor"
    ]  # fmt: skip
    (check,) = run.checks
    assert (check.frame, check.time, check.object) == (FAILS, FAILS * DT, 1)
    assert check.message == "guard 1 keeps calm"
    assert "step != FAILS" in check.story
    assert "guard 1 (id 1)" in check.story
    assert "rejected Sleep: noise" in check.story
    last = run.transitions(check, "ai", to="Attack")[-1]
    assert last.rejected[0].reason == "noise"
    assert run.state(check, "ai", at=last.time) == "Attack"
    assert run.state("visitor", frame=15) == "Visit"
    assert run.state(2, "mood", frame=24) == "m30", "it came late, and belongs there"
    nodes = run.tree("guard 2", "mind").nodes
    assert [(node.name, node.status) for node in nodes] == [
        ("root", "running"), ("flee", "failure"), ("go", "running")
    ]  # fmt: skip
    assert run.beliefs(1, frame=50)[0].note == "heard"
    assert [line.text for line in run.logs(text="late")] == ["late 30", "late 40", "late 50",
                                                             "late 60"]  # fmt: skip
    assert run.watches("guard 1", "distance").values.tolist() == [
        step / 4 for step in range(1, FRAMES + 1)
    ]
