"""The replay panel on a clip: of a game on the gateway, and of what a game in this process left."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.agents.demo_reader import read_demo
from playhead.agents.playthrough.playthrough_settings import load_settings
from playhead.agents.replay.agent_factory import playthrough
from playhead.agents.replay.demos.demo_files import read_demos
from playhead.agents.replay.remote_game import RemoteGame
from playhead.agents.replay.replay_batch import BatchSettings, ReplayBatch
from playhead.recorder.packets.mark import Mark
from playhead.recorder.packets.recorded_frame import FrameRange
from playhead.viewer.panels.replay.recorded_replay import recorded_replay
from playhead.viewer.panels.replay.replay_model import ReplayRow, ReplayRowKind, card_of, rows_of
from playhead.viewer.panels.replay.replay_panel import ReplayPanel
from playhead.viewer.reader.history.history_record_types import FramePage
from playhead.viewer.reader.history.recording_history import RecordingHistory
from playhead.viewer.toolkit.text_painting import wrapped_height

from ....agents.replay.foreign_game import ForeignGame, record_foreign_demo
from ....games.remote.game import served
from ..panel_harness import DockHarness, open_dock


@pytest.fixture(scope="module")
def gateway_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clip of a game on the gateway, in which a coin more was found than in the demo."""
    folder = tmp_path_factory.mktemp("gateway")
    with served() as service:
        game = ForeignGame(service.url, outcomes={"coins": "equal"})
        try:
            with service.client() as client:
                port = RemoteGame(client)
                demo, facts = record_foreign_demo(port, folder), port.facts
                demos = read_demos([demo], facts.demo_columns, (), facts.demo_outcomes)
                game.change = lambda body: body["seen"]["extras"].update(coins=1.0)
                settings = BatchSettings(restarts=True, clips=folder)
                batch = ReplayBatch(demos, playthrough(load_settings()), settings)
                batch.queue.start()
                assert batch.queue.begin_lap()
                report = batch.lap(port, 4)
                port.close()
        finally:
            game.close()
    assert report is not None
    assert report.clip is not None, report
    return Path(report.clip)


@pytest.fixture
def stage(app, until, gateway_clip) -> Iterator[DockHarness]:
    with open_dock(app, until, ReplayPanel, gateway_clip) as harness:
        front = harness.panel
        until(lambda: front.controller.state is not None and harness.store.knows_all)
        yield DockHarness(app, until, front.list, harness.store)
        front.controller.close()


def rows(stage: DockHarness, kind: ReplayRowKind) -> list[ReplayRow]:
    return [row for row in stage.panel.rows if row.kind is kind]


def test_a_clip_of_a_game_on_the_gateway_has_its_demo_its_failure_and_its_divergence(stage):
    (demo,) = rows(stage, ReplayRowKind.DEMO)
    assert demo.summary == "walk   failed"
    (outcome,) = rows(stage, ReplayRowKind.OUTCOME)
    assert outcome.title.startswith("✕  walk — walk.csv was played to its end, but coins is 1")
    assert outcome.cells[0] == "seed 4"
    (divergence,) = rows(stage, ReplayRowKind.DIVERGENCE)
    assert divergence.title.startswith("not as in the demo: coins 1, demo 0, since row ")
    assert stage.store.frame == divergence.place[0]  # the clip opens there
    names = {name for _, name in stage.store.history.series}
    assert {"seen.coins", "demo.coins"} <= names  # the lane, and the ghost in it


def test_a_small_window_shows_the_whole_divergence(window, until, gateway_clip):
    front = window(gateway_clip, size=(1280, 720)).replay
    until(lambda: front.controller.state is not None and front.list.isVisible())
    until(lambda: sum(front.list.heights()) <= front.list.height())
    row = next(row for row in front.list.rows if row.kind is ReplayRowKind.DIVERGENCE)
    last = front.list.box_of(front.list.rows.index(row))
    assert last.height() >= wrapped_height(row.title, last.width() - 44)


def test_a_click_goes_to_where_the_demo_began_and_to_the_failure(stage):
    demo, outcome = (rows(stage, kind)[0] for kind in (ReplayRowKind.DEMO, ReplayRowKind.OUTCOME))
    for row in (demo, outcome):
        stage.click(100, stage.middle(stage.panel.rows.index(row)))
        stage.until(lambda row=row: stage.store.frame == row.place[0])
    assert stage.store.selected == 1
    assert stage.messages == []


def test_the_row_and_the_state_are_those_of_the_shown_frame(stage, gateway_clip):
    shown = []
    (outcome,) = rows(stage, ReplayRowKind.OUTCOME)
    for frame in (rows(stage, ReplayRowKind.DEMO)[0].place[0] + 30, outcome.place[0] - 2):
        stage.go(frame, 1)
        (now,) = rows(stage, ReplayRowKind.WORDS)
        shown.append(now.title)
    assert shown[0] != shown[1]
    (demo,) = gateway_clip.parent.glob("*.csv")
    ends = f" of {len(read_demo(demo))} · move_checkpoint"
    assert all(title.endswith(ends) for title in shown)


def test_the_panel_appears_by_itself_and_only_once(app, until, gateway_clip):
    appeared = []

    def panel(store):
        made = ReplayPanel(store)
        made.controller.appeared.connect(lambda: appeared.append(made.controller.state))
        return made

    with open_dock(app, until, panel, gateway_clip) as harness:
        until(lambda: appeared and harness.store.knows_all)
        harness.go(harness.store.frame + 5, 1)
        assert len(appeared) == 1
        harness.panel.controller.close()


def test_nothing_can_be_started_or_chosen_in_a_clip(stage):
    assert stage.panel.parent().controls.isHidden()
    at = stage.panel.rows.index(rows(stage, ReplayRowKind.DEMO)[0])
    assert {"Go to the beginning"} <= {*stage.menu(at)}
    assert not any(name.startswith(("Start", "Replay", "Skip")) for name in stage.menu(at))
    assert "[" not in stage.panel.text()


# --- recordings with several demos ----------------------------------------------------------------


def history_of(*marks: Mark, rows: dict[int, int]) -> RecordingHistory:
    """A recording of 100 frames of 0.1 s, with the demo's row that the agent is at in some."""
    history = RecordingHistory()
    for frame in range(1, 101):
        watches = {(1, "replay.row"): float(rows[frame])} if frame in rows else {}
        history.put(FramePage(frame, frame / 10, 0.1, 0, (), (), watches, (), {}, "", (), ()))
    history.span = FrameRange(1, 100, 0.1, 10.0)
    history.marks = marks
    return history


def mark(name: str, frame: int, note: str = "", kind: str = "mark") -> Mark:
    return Mark(name, frame, frame / 10, kind, note, 1)


def test_each_demo_of_a_long_recording_ends_where_its_own_marks_say():
    history = history_of(
        mark("demo begins", 2, "one"),
        mark("recovery", 5),
        mark("demo finished", 20, "one"),
        mark("the lamp is lit", 22, kind="check"),  # between two demos
        mark("demo begins", 30, "two"),
        mark("divergence", 35, "hp 3, demo 5, since row 2"),
        mark("divergence ends", 37, "hp 3, demo 5, since row 2"),
        mark("stuck", 50, kind="check"),
        mark("demo begins", 60, "three"),
        rows={2: 0, 19: 7, 31: 1, 49: 4, 62: 3},
    )
    state = recorded_replay(history, 40)
    assert state is not None
    assert [(one.name, one.status) for one in state.demos] == [
        ("one", "finished"), ("two", "failed"), ("three", "playing"),
    ]  # fmt: skip
    assert [one.row for one in state.outcomes] == [7, 4, 3]
    assert [one.recoveries for one in state.outcomes] == [1, 0, 0]
    assert state.outcomes[1].seconds == pytest.approx(2.0)
    assert state.outcomes[1].divergence is None  # it had gone again
    assert (state.now.demo, state.now.row) == ("two", 1)
    assert recorded_replay(history, 25).now is None
    assert "a click goes to where it begins" in card_of(rows_of(state)[1])[1]


def test_a_demo_that_a_person_played_is_no_replay():
    assert recorded_replay(history_of(mark("demo begins", 2, "walk.csv"), rows={}), 40) is None
