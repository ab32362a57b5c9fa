"""The bridge to Rerun: what its own reader finds in the file, and where its own viewer stands."""

import asyncio
import contextlib
import math
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import playhead as ph
from playhead.bus.bridges.external_viewer_bridge import Bridge
from playhead.bus.bridges.frame_view import frame_view, mark_view
from playhead.bus.client.client import Client
from playhead.bus.messages.message import PlayheadTime
from playhead.errors import BusError
from playhead.recorder.packets.trace_types import StateTransition
from playhead.recorder.statements.statement_messages import TransitionStatement

from ...support.late_import import imported_at_use
from ...support.pictures import picture_bytes
from ...support.process import PLAYHEAD, Process, run_process
from ...support.waits import LIMIT, until

rerun = imported_at_use("rerun")
# Its reader leaves what it opened to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(scope="module", autouse=True)
def its_sockets_are_there() -> None:
    """Its runtime opens a pair of sockets for good: not within a test that imports it."""
    assert rerun.version()


VIEWER = Path(sys.executable).parent / "rerun"
Rows = dict[str, dict[int, dict[str, Any]]]
"""By entity and frame, what was logged last, component to values; and how many `times`."""


def rows_of(file: Path) -> Rows:
    """All that is in an .rrd file on the timeline `frame`."""
    from rerun.chunk import RrdReader

    rows: Rows = {}
    for chunk in RrdReader(file).stream():
        batch = chunk.to_record_batch()
        if "frame" not in batch.schema.names:
            continue
        columns = {
            name.partition(":")[2]: batch.column(name).to_pylist()
            for name in batch.schema.names
            if ":" in name
        }
        seconds = batch.column("playhead").cast("int64").to_pylist()
        for row, frame in enumerate(batch.column("frame").to_pylist()):
            found = {name: values[row] for name, values in columns.items()}
            frames = rows.setdefault(chunk.entity_path, {})
            times = frames.get(frame, {}).get("times", 0) + 1
            frames[frame] = {**found, "seconds": seconds[row] / 1e9, "times": times}
    return rows


def points(rows: Rows, frame: int) -> list[list[float]]:
    return rows["/world/objects"][frame]["positions"]


class Carried:
    """A bridge into a file, in the test's own process: it runs until it has shown something."""

    def __init__(self, client: Client, file: Path) -> None:
        from playhead.bus.bridges.rerun import Rerun

        self.sink = Rerun.to_file(str(file))
        self._condition: Callable[[PlayheadTime], bool] = lambda now: False
        self.begin, self.mark, self.tick = self.sink.begin, self.sink.mark, self.sink.tick
        self._bridge = Bridge(client, self)

    def show(self, picture: Any) -> None:
        self.sink.show(picture)
        if self._condition(picture.now):
            self._bridge.end()

    def until(self, condition: Callable[[PlayheadTime], bool]) -> None:
        self._condition = condition
        asyncio.run(self._bridge.run(LIMIT))


def test_frames_that_are_shown_are_in_the_file_as_they_were_recorded(game, tool, tmp_path):
    playing = game()
    playing.world.during = lambda: playing.session.draw.line((0, 0, 0), (1, 2, 3), channel="ai")
    playing.run(20)
    mover = tool(playing)
    mover.emit(
        TransitionStatement(1, StateTransition("roll", "slow", "fast", "it is steep"), time=8 / 64)
    )
    mover.log("bumpy", level="warning", time=8 / 64)
    mover.mark("the hill", time=8 / 64)
    mover.flush()
    playing.run(1)
    carried = Carried(tool(playing), tmp_path / "run.rrd")
    carried.until(lambda now: now.frame == 21)
    for frame in (8, 3, 8, 3):
        mover.seek(frame=frame)
        carried.until(lambda now, frame=frame: now.frame == frame)
    mover.show("ai", False)
    carried.until(lambda now: bool(now.hidden))
    carried.sink.close()
    rows = rows_of(tmp_path / "run.rrd")
    assert sorted(rows["/world/objects"]) == [3, 8, 21]
    assert points(rows, 8) == [[1.125, 0, 0], [2.25, 0, 0], [3.375, 0, 0]]
    assert rows["/world/objects"][8]["labels"] == ["ball_1", "ball_2", "ball_3"]
    assert rows["/world/objects"][8]["seconds"] == 0.125
    assert points(rows, 3)[0] == pytest.approx([1 + 3 / 64, 0, 0])
    assert rows["/world/drawn/lines"][8]["strips"] == [[[0, 0, 0], [1, 2, 3]]]
    assert rows["/world/drawn/lines"][3]["strips"] == []
    assert rows["/values/ball_2"][8]["scalars"][0] == 2.25
    # Each once, however often somebody scrubs over it.
    for path, component, message in (
        ("/log", "text", "bumpy"),
        ("/log", "level", "WARN"),
        ("/decisions/ball_1", "text", "roll: slow → fast because it is steep"),
        ("/marks", "text", "mark: the hill"),
    ):
        assert rows[path][8][component] == [message]
        assert rows[path][8]["times"] == 1


def test_skeletons_boxes_and_latched_things_are_there_and_gone_where_they_are_gone(stage, tmp_path):
    from playhead.bus.bridges.rerun import Rerun

    scene = stage()
    scene.session.draw.box((0, 0, 1), (2, 4, 6), angles=(0.0, 0.0, math.pi))
    scene.session.draw.text((1, 1, 1), "here")
    instants = [scene.step()]
    scene.world.things.clear()
    instants.append(scene.step())
    sink = Rerun.to_file(str(tmp_path / "run.rrd"))
    for now in instants:
        sink.show(frame_view(scene.source, now))
    sink.close()
    rows = rows_of(tmp_path / "run.rrd")
    assert len(rows["/world/joints"][1]["positions"]) == 3  # of the one that is visible
    assert len(rows["/world/bones"][1]["strips"]) == 2
    assert rows["/world/drawn/boxes"][1]["half_sizes"] == [[1, 2, 3]]
    assert rows["/world/drawn/boxes"][1]["quaternions"][0][2] == pytest.approx(1.0)
    assert rows["/world/drawn/texts"][1]["labels"] == ["here"]
    for path, component in (
        ("/world/joints", "positions"), ("/world/bones", "strips"), ("/world/objects", "positions"),
        ("/world/drawn/boxes", "half_sizes"), ("/world/drawn/texts", "labels"),
    ):  # fmt: skip
        assert rows[path][2][component] == []


def test_lines_are_sent_as_pairs_and_polygons_closed_beside_the_pictures_and_marks(stage, tmp_path):
    from playhead.bus.bridges.rerun import Rerun

    scene = stage()
    scene.session.draw.lines([((0, 0, 0), (0, 1, 0)), ((0, 0, 0), (0, 0, 1))])
    scene.session.draw.polygon([(0, 0, 0), (1, 0, 0), (1, 1, 0)])
    scene.session.picture(picture_bytes(), name="front")
    scene.session.mark("late")
    now = scene.step()
    sink = Rerun.to_file(str(tmp_path / "run.rrd"))
    sink.show(frame_view(scene.source, now))
    [mark] = scene.source.marks()
    for _ in range(2):
        sink.mark(mark, mark_view(mark, scene.source))
    assert not sink.tick(), "a file has no cursor"
    sink.close()
    rows = rows_of(tmp_path / "run.rrd")
    assert rows["/world/drawn/lines"][1]["strips"] == [
        [[0, 0, 0], [0, 1, 0]], [[0, 0, 0], [0, 0, 1]],
        [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 0]],
    ]  # fmt: skip
    assert bytes(rows["/pictures/front"][1]["blob"][0]) == picture_bytes()
    assert (rows["/marks"][1]["text"], rows["/marks"][1]["times"]) == (["mark: late"], 1)


@pytest.mark.slow
def test_all_that_is_recorded_can_be_sent_first(game, tool, bridge, tmp_path):
    playing = game()
    playing.run(50)
    file, looking = tmp_path / "run.rrd", tool(playing)
    bridging = bridge("rerun", playing.endpoint, "--save", str(file), "--all", "--seconds", "0.5")
    until(lambda: bridging.poll() is not None, looking)
    rows = rows_of(file)
    assert sorted(rows["/world/objects"]) == list(range(1, 51))
    for frame in (1, 25, 50):
        assert points(rows, frame)[2] == pytest.approx([3 + 3 * frame / 64, 0, 0])


@pytest.mark.slow
def test_a_clip_is_sent_completely_with_its_pictures(tmp_path):
    game = {"guard": {"x": 0.0, "y": 0.0, "hp": 9.0}}
    with ph.record(game, tmp_path / "run.mcap", dt=0.5) as rec:
        for step in range(4):
            with rec.frame():
                game["guard"]["x"] = float(step)
                rec.picture(np.full((8, 8, 3), 200, np.uint8))
                rec.log(f"step {step}")
    done = run_process(PLAYHEAD, "bridge", "rerun", "run.mcap", "--save", "run.rrd", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "5 frames of run.mcap" in done.stderr  # the last is what comes after the last step
    rows = rows_of(tmp_path / "run.rrd")
    assert sorted(rows["/world/objects"]) == [1, 2, 3, 4, 5]
    assert [rows["/values/guard"][frame]["seconds"] for frame in (1, 4)] == [0.5, 2.0]
    assert [points(rows, frame)[0][0] for frame in (1, 2, 3, 4, 5)] == [0.0, 1.0, 2.0, 3.0, 3.0]
    assert rows["/log"].keys() == {1, 2, 3, 4}
    assert any(path.startswith("/pictures/") for path in rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (["gone.mcap"], "there is no such file"),
        (["empty.mcap"], "empty"),
        (["empty.mcap", "--seconds", "1"], "for a running game"),
    ],
)
def test_a_file_that_is_no_recording_is_reported_and_nothing_is_written(tmp_path, args, reason):
    (tmp_path / "empty.mcap").touch()
    done = run_process(PLAYHEAD, "bridge", "rerun", *args, "--save", "run.rrd", cwd=tmp_path)
    assert done.returncode == 2
    assert reason in done.stderr
    assert not (tmp_path / "run.rrd").exists()


@pytest.mark.slow
def test_a_file_that_cannot_be_written_is_reported(game):
    playing = game()
    done = run_process(
        PLAYHEAD, "bridge", "rerun", playing.endpoint, "--save", "no/such/folder/run.rrd"
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "playhead: no/such/folder/run.rrd: No such file or directory\n"


def test_without_a_viewer_the_error_says_how_to_start_one(unused_port):
    from playhead.bus.bridges.rerun import Rerun

    nowhere = f"rerun+http://127.0.0.1:{unused_port}/proxy"
    with pytest.raises(BusError, match=rf"^{re.escape(nowhere)}: no Rerun viewer .* `rerun`, or"):
        Rerun.to_viewer(nowhere, complain=pytest.fail)


@pytest.mark.slow
def test_a_viewer_that_is_not_there_is_reported(game):
    playing = game()
    nowhere = "rerun+http://127.0.0.1:1/proxy"
    done = run_process(PLAYHEAD, "bridge", "rerun", playing.endpoint, "--viewer", nowhere)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no Rerun viewer answers there" in done.stderr
    assert "Traceback" not in done.stderr


# --- the viewer itself ------------------------------------------------------------------------


@contextlib.contextmanager
def viewer(port: int) -> Iterator[Any]:
    """Rerun's own viewer without a window; skips where it can't draw."""
    from rerun.experimental import ViewerClient

    with Process(
        VIEWER, "--headless", "--bind", "127.0.0.1", "--port", port,
        env={"RERUN_ANALYTICS_ENABLED": "0", "TELEMETRY_ENABLED": "false"},
    ):  # fmt: skip
        yield lambda: ViewerClient.connect(f"rerun+http://127.0.0.1:{port}/proxy")


def answered(ask: Callable[[], Any]) -> Any:
    """What a viewer says, once it is up."""
    end, pause = time.monotonic() + LIMIT, threading.Event()
    while True:
        try:
            return ask()
        except Exception:
            if time.monotonic() > end:
                pytest.skip("Rerun's viewer does not come up: it needs Vulkan, if only in software")
            pause.wait(0.05)


def cursor(client: Any) -> tuple[str | None, int | None]:
    recordings = client.get_state().recordings
    if not recordings:
        return None, None
    return recordings[0].current_timeline, recordings[0].current_time


@pytest.mark.slow
def test_the_viewers_time_cursor_goes_where_the_playhead_goes(game, bridge, unused_port):
    playing = game()
    playing.run(40)
    with viewer(unused_port) as connect, Client(playing.endpoint) as tool:
        client = answered(connect)
        answered(client.get_state)
        url = f"rerun+http://127.0.0.1:{unused_port}/proxy"
        bridge("rerun", playing.endpoint, "--viewer", url)
        try:
            until(lambda: client.get_state().recordings)
        except ConnectionError:
            pytest.skip("Rerun's viewer can't draw here: it needs Vulkan, if only in software")
        for frame in (12, 30, 7):
            tool.seek(frame=frame)
            until(lambda frame=frame: cursor(client) == ("frame", frame))
        tool.step(2)
        until(lambda: cursor(client) == ("frame", 9))
        tool.leave()
        playing.run(3)
        until(lambda: cursor(client) == ("frame", 43))


class Refusing:
    """A viewer's controls that refuse so many times."""

    def __init__(self, times: int) -> None:
        self.left = times
        self.moves: list[dict[str, Any]] = []

    def set_time(self, timeline: str, *, recording: str, **where: Any) -> None:
        if self.left:
            self.left -= 1
            raise ConnectionError("not yet")
        self.moves.append(where)


@pytest.fixture
def into_memory(stage):
    """A sink whose viewer refuses some times, and an instant to be shown."""
    import rerun

    from playhead.bus.bridges.rerun import Rerun

    scene = stage()
    picture = frame_view(scene.source, scene.step())

    def make(refusals: int) -> tuple[Any, Refusing, list[str], Callable[..., Any]]:
        recording = rerun.RecordingStream("playhead")
        recording.memory_recording()
        viewer, message = Refusing(refusals), []
        sink = Rerun(recording, viewer, complain=message.append)
        return (
            sink,
            viewer,
            message,
            lambda **now: picture._replace(now=replace(picture.now, **now)),
        )

    return make


def test_a_cursor_that_cannot_be_moved_yet_is_moved_a_moment_later(into_memory):
    sink, viewer, message, at = into_memory(2)
    sink.show(at(mode="paused", frame=1))
    sink.show(at(mode="paused", frame=2))
    assert viewer.moves == []
    for _ in range(3):
        assert not sink.tick()
    assert viewer.moves == [{"sequence": 2, "play_state": "paused"}]
    assert message == []


def test_live_the_cursor_is_set_to_follow_once(into_memory):
    sink, viewer, _, at = into_memory(0)
    for mode, frame in (("live", 1), ("live", 2), ("paused", 1), ("playing", 2), ("live", 3)):
        sink.show(at(mode=mode, frame=frame))
    assert viewer.moves == [
        {"play_state": "following"},
        {"sequence": 1, "play_state": "paused"},
        {"sequence": 2, "play_state": "paused"},
        {"play_state": "following"},
    ]


def test_a_viewer_that_never_moves_its_cursor_is_complained_of_once(into_memory):
    sink, viewer, message, at = into_memory(1000)
    sink.show(at(mode="paused", frame=1))
    for _ in range(200):
        sink.tick()
    assert message == ["Rerun's time cursor can't be moved any more: not yet"]
    assert viewer.left > 900
