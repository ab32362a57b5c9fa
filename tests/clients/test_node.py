"""The tool in Node, written from the protocol's document: it stands where everybody stands."""

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from playhead.bus.client.client import Client

from ..support.process import Process, run_process, starting
from ..support.shared_folder import alone_in
from ..support.waits import LIMIT

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parent / "programs"
COMMANDS = 1000


@pytest.fixture(scope="module")
def installed() -> Path:
    """A folder with the client, the test's program, and the packages that they need."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    folder = ROOT / "build" / "node"
    with alone_in(folder):
        wanted = (ROOT / "clients/node/package.json").read_text(encoding="utf-8")
        stamp = folder / ".installed"
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
            (folder / "package.json").write_text(wanted, encoding="utf-8")
            quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock")
            run_process("npm", "install", *quiet, cwd=folder, check=True, limit=280)
            stamp.write_text(wanted, encoding="utf-8")
        shared = [ROOT / "clients/js" / name for name in ("hooks.js", "control.js")]
        for file in (*(ROOT / "clients/node").glob("*.mjs"), *shared, PROGRAMS / "tool.mjs"):
            shutil.copy(file, folder)
    return folder


class JsonProcess(Process):
    """A program that is told what to do by lines of JSON, and answers each with one."""

    def __init__(self, *command: object) -> None:
        super().__init__(*command, talks=True)
        self.first = json.loads(self.line())

    def __call__(self, **what: Any) -> Any:
        self.say(json.dumps(what))
        return json.loads(self.line())

    def end_of_input(self) -> int:
        """Let it end by itself; returns its exit code."""
        self.close_input()
        return self.wait()


@pytest.fixture
def told() -> Iterator[Callable[..., JsonProcess]]:
    """Start programs; they are ended with the test."""
    yield from starting(JsonProcess)


class ThreeProcesses:
    """Three processes: the arena, a tool in Python, a tool in Node."""

    def __init__(self, told: Callable[..., JsonProcess], installed: Path) -> None:
        self.arena = told(sys.executable, PROGRAMS / "arena.py")
        self.endpoint = self.arena.first["endpoint"]
        self.python = told(sys.executable, PROGRAMS / "tool.py", self.endpoint)
        self.node = told("node", installed / "tool.mjs", self.endpoint)

    @property
    def actors(self) -> dict[str, JsonProcess]:
        return {"arena": self.arena, "python": self.python, "node": self.node}


@pytest.fixture
def stage(told, installed) -> ThreeProcesses:
    return ThreeProcesses(told, installed)


def command(rng: Random, span: tuple[int, int, float, float]) -> dict[str, Any]:
    """Any command that a person might give, most of which stand still afterwards."""
    oldest, newest, start, end = span
    return rng.choice([
        {"do": "seek_frame", "frame": rng.randint(oldest, newest)},
        {"do": "seek_frame", "frame": rng.randint(oldest - 9, newest + 9)},
        {"do": "seek_time", "time": rng.uniform(start - 0.5, end + 0.5)},
        {"do": "seek_time", "time": rng.uniform(start, end)},
        {"do": "step", "frames": rng.choice((-9, -2, -1, 1, 2, 9))},
        {"do": "step", "frames": rng.choice((-1, 1))},
        {"do": "enter", "time": rng.uniform(start, end)},
        {"do": "pause"},
        {"do": "pause"},
        {"do": "play", "rate": rng.choice((-2.0, -1.0, 0.5, 1.0, 4.0))},
        {"do": "leave" if rng.random() < 0.3 else "enter"},
        {"do": "focus", "object": rng.choice((0, 4, 5))},
        {"do": "show", "channel": "ai", "on": rng.random() < 0.5},
    ])  # fmt: skip


def test_three_processes_stand_on_one_frame_after_each_of_a_thousand_commands(stage):
    rng, stood, moved_live = Random(7), 0, 0
    with Client(stage.endpoint, timeout=LIMIT) as client:
        while (span := client.snapshot().span) is None or span.newest < 60:
            client.dispatch(0.1)
    before = tuple(span)
    for number in range(COMMANDS):
        name = rng.choice(list(stage.actors))
        ask = command(rng, before)
        answer = stage.actors[name](ask=ask)
        assert answer.get("is") != "error", (number, name, ask, answer)
        shown, sequence = answer["state"], answer["time"]
        before = tuple(shown["span"])
        python, node = stage.python(where=sequence), stage.node(where=sequence)
        assert python == node, (number, name, ask)
        if shown["mode"] == "paused":
            arena = stage.arena(where=sequence)
            player = arena.pop("player")
            assert arena == python == {"frame": shown["frame"], "mode": "paused"}, (number, ask)
            stood += 1
            if number % 10 == 0:
                # Not only numbers: the game shows what Node reads in the frame's own bytes.
                read = stage.node(read=shown["frame"])
                assert read["header"]["frame"] == shown["frame"]
                (seen,) = [one for one in read["objects"] if one["id"] == player[0]]
                assert seen["values"]["position"] == player[1:]
        else:
            moved_live += shown["mode"] == "live"
    assert stood > COMMANDS / 2
    assert moved_live > 5
    every = (stage.node, stage.python, stage.arena)
    assert [actor.end_of_input() for actor in every] == [0, 0, 0]


def test_traces_from_node_land_on_the_frame_that_they_are_about(stage):
    rng = Random(3)
    with Client(stage.endpoint, timeout=LIMIT) as client:
        while (span := client.snapshot().span) is None or span.newest < 60:
            client.dispatch(0.1)
        client.enter()
        expected: dict[int, list[tuple[str, str]]] = {}
        for number in range(40):
            frame = rng.randint(1, span.newest)
            # An instant within the frame's own stretch of the timeline, not only at its start.
            time = client.seek(frame=frame).time + rng.uniform(0.0, 0.9) / 60
            name, tool = rng.choice([("node", stage.node), ("python", stage.python)])
            trace = {
                "machine": f"{name} mind", "source": "before", "target": f"{name} {number}",
                "won": "it had to", "values": {"number": number},
                "beliefs": [{"object": 1, "position": [1, 2.5, 3], "seen": 0.25, "note": "ü"}],
            }  # fmt: skip
            message = tool(ask={"do": "trace_state", "agent": 4, "trace": trace, "time": time})
            assert message.get("is") != "error", message
            expected.setdefault(frame, []).append((trace["machine"], trace["target"]))
        newest = client.leave().span.newest
        while client.snapshot().span.newest < newest + 3:
            client.dispatch(0.1)
        for frame in range(1, newest + 1):
            found = [
                (row.state.machine, row.state.target)
                for row in client.statements(frame).traces
                if row.state is not None and row.state.machine.endswith("mind")
            ]
            assert sorted(found) == sorted(expected.get(frame, [])), frame
        (belief, *_) = [
            row.state.beliefs[0]
            for row in client.statements(min(expected)).traces
            if row.state is not None and row.state.machine.endswith("mind")
        ]
        assert (belief.object, belief.position, belief.note) == (1, (1.0, 2.5, 3.0), "ü")


def test_node_reads_every_field_of_a_frame_as_python_does(stage):
    with Client(stage.endpoint, timeout=LIMIT) as client:
        while (span := client.snapshot().span) is None or span.newest < 60:
            client.dispatch(0.1)
        client.enter()
        for frame in (1, 17, 60):
            rows = client.objects(frame)
            read = stage.node(read=frame)
            stamp = client.frame(frame)
            assert read["header"]["time"] == stamp.time
            assert read["header"]["delta"] == stamp.delta
            assert [one["id"] for one in read["objects"]] == [row.id for row in rows]
            for one, row in zip(read["objects"], rows, strict=True):
                assert (one["type"], one["visible"]) == (row.type, row.visible)
                assert tuple(one["position"]) == row.position
                assert tuple(one["angles"]) == row.angles
                for name, value in one["values"].items():
                    assert value == row.values[name], (row.type, name)
                assert len(one["values"]) >= 5


def test_a_tool_in_node_holds_a_game_where_a_guard_decides_and_lets_it_go(stage):
    hooks = stage.node
    with Client(stage.endpoint, timeout=LIMIT) as client:
        while client.snapshot().span is None:
            client.dispatch(0.1)
        seen = stage.node(ask={"do": "objects", "frame": 1})["objects"]
        guard = next(one for one in seen if one["type"] == "guard")
        made = hooks(hooks=["breakAt", guard["name"], {"transition": "->", "times": 1}])
        assert (made["hook"]["kind"], made["hook"]["object"]) == ("break", guard["id"])
        while client.state.mode.value != "paused":
            client.dispatch(0.1)
        [report] = hooks(hooks=["list"])
        assert (report["hits"], report["state"]) == (1, "done")
        assert "is about to" in report["text"] or "->" in report["text"]
        assert hooks(ask={"do": "leave"})["state"]["mode"] == "live"
    assert (
        hooks(hooks=["replace", guard["id"], {"rule": "sees_target", "result": False}])["id"] == 2
    )
    assert hooks(hooks=["clear"]) is None
    assert hooks(hooks=["list"]) == []


def test_an_error_of_the_service_is_reported_as_it_says_it(stage):
    assert stage.node(ask={"do": "frame", "frame": 10**9})["kind"] == "evicted"
    assert stage.node(ask={"do": "step", "frames": 0})["kind"] == "command"
    assert stage.node(ask={"do": "what is this"})["kind"] == "malformed"
    assert stage.node(ask={"do": "snapshot"})["is"] == "snapshot"


def test_the_example_prints_where_everybody_is(stage, installed):
    with Client(stage.endpoint, timeout=LIMIT) as client:
        while (span := client.snapshot().span) is None or span.newest < 60:
            client.dispatch(0.1)
        with Process("node", installed / "follow.mjs", stage.endpoint, "20") as follow:
            assert "player 1 at (" in follow.find("^paused 20 ").string
            client.step(-3)
            assert follow.line().startswith("paused 17 ")
            assert follow.interrupt().returncode == 0
