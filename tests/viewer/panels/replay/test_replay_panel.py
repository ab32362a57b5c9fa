"""The replay dock in front of a game on the bus whose demos are replayed."""

import queue
import threading
from typing import Any

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.bus.server.bus_settings import BusSettings
from playhead.errors import CommandError
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.session import Session
from playhead.viewer.backends.open_target import target_of
from playhead.viewer.panels.replay.replay_panel import ReplayPanel
from playhead.viewer.state.viewer_store import ViewerStore
from playhead.viewer.toolkit import palette
from playhead.viewer.toolkit.qt import QApplication, QEvent

from ....support.waits import LIMIT
from ...yard import DT, handlers, make_yard, record
from ..panel_harness import DockHarness

DEMOS = ("gate", "market", "bridge")


class Replaying:
    """A game whose demos are replayed, in a thread of its own; `tells` False for one without."""

    def __init__(self, *, tells: bool = True) -> None:
        self.commands: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.state: dict[str, Any] = {
            "running": True, "lap": 1, "times": 2, "progress": 0.4, "run": 1,
            "demos": [
                {"name": name, "selected": name != "bridge", "standing": word, "progress": share}
                for name, word, share in zip(
                    DEMOS, ("failed", "playing", "waiting"), (0.3, 0.5, 0.0), strict=True
                )
            ],
            "now": {"demo": "market", "row": 40, "rows": 80, "state": "collect_item"},
            "outcomes": [
                {"demo": "gate", "standing": "failed", "seed": 3, "lap": 1, "seconds": 2.0,
                 "recoveries": 1, "transitions": 4, "row": 9, "run": 1, "clip": None,
                 "failure": {"message": "stuck", "time": 0.3, "frame": 20, "object": 1}},
            ],
        }  # fmt: skip
        self._tells = tells
        self._ended, self._ready = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="replaying")
        self._thread.start()
        assert self._ready.wait(LIMIT)

    def _run(self) -> None:
        world = make_yard()
        with Session(
            world, "1 MiB", handlers=handlers(), on_check=UNATTENDED,
            bus=BusSettings("tcp://127.0.0.1:*", patience=2.0),
        ) as session:  # fmt: skip
            assert session.bus is not None
            self.endpoint = session.bus.endpoint
            session.mark("demo begins", "gate", object=1)
            if self._tells:
                session.serve("replay", self._command)
                session.publish("replay", self.state)
            self._ready.set()
            while not self._ended.wait(DT / 2):
                if session.live:
                    record(session, world, 1)
                else:
                    session.update(DT)

    def _command(self, command: Any) -> None:
        self.commands.put(command)
        if command["do"] == "stop":
            raise CommandError("not now")

    def close(self) -> None:
        self._ended.set()
        self._thread.join(LIMIT)


@pytest.fixture
def game():
    made = Replaying()
    yield made
    made.close()


class Front:
    """The dock by itself, in front of a game."""

    def __init__(self, app: Any, endpoint: str) -> None:
        self.store = ViewerStore(target_of(endpoint))
        self.panel = ReplayPanel(self.store)
        self.appeared: list[bool] = []
        self.panel.controller.appeared.connect(lambda: self.appeared.append(True))
        self.panel.resize(420, 420)
        self.panel.show()
        self.store.start()
        self._app = app

    def close(self) -> None:
        self.panel.controller.close()
        self.store.close()
        self.panel.close()
        self.panel.deleteLater()
        self.store.deleteLater()
        self._app.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def front(app, game, until):
    made = Front(app, game.endpoint)
    try:
        until(lambda: made.panel.controller.state is not None)
        yield made
    finally:
        made.close()


@pytest.fixture
def stage(app, until, front):
    until(lambda: front.store.frame > 30)  # the failure's frame is there to be gone to
    return DockHarness(app, until, front.panel.list, front.store)


def test_it_appears_when_a_game_tells_how_its_demos_stand(front):
    assert front.appeared == [True]
    assert [row.demo.name for row in front.panel.list.rows if row.demo] == list(DEMOS)
    assert front.panel.times.text() == "× 2"
    assert front.panel.stop.isEnabled()
    assert not front.panel.start.isEnabled()


def test_it_stays_away_from_a_game_that_tells_nothing(app, until):
    game = Replaying(tells=False)
    made = Front(app, game.endpoint)
    try:
        until(lambda: made.store.history.marks and made.store.frame > 40)
        assert made.appeared == []
        assert made.panel.list.text() == "No demos are replayed here"
        assert not made.panel.start.isEnabled()
    finally:
        made.close()
        game.close()


def test_a_click_into_a_demo_has_it_replayed_or_skipped(stage, game):
    stage.click(100, stage.middle(3))
    assert game.commands.get(timeout=LIMIT) == {"do": "select", "demos": list(DEMOS)}
    stage.click(100, stage.middle(1))
    assert game.commands.get(timeout=LIMIT) == {"do": "select", "demos": ["market"]}


def test_keys_walk_through_demos_and_report_and_enter_does_what_a_click_does(stage, game):
    stage.panel.setFocus()
    stage.press("Down")
    assert stage.panel.accessibleDescription().startswith("gate failed")
    stage.press("Return")
    assert game.commands.get(timeout=LIMIT)["demos"] == ["market"]
    for _ in range(3):
        stage.press("Down")
    stage.press("Return")
    stage.until(lambda: stage.store.frame == 20)
    assert stage.store.selected == 1


def test_a_click_into_the_report_goes_to_the_failure(stage):
    stage.click(100, stage.middle(len(stage.panel.rows) - 1))
    stage.until(lambda: stage.store.frame == 20)
    assert stage.store.selected == 1


def test_buttons_and_the_menu_say_the_same(front, stage, game):
    front.panel.skip.click()
    assert game.commands.get(timeout=LIMIT) == {"do": "skip"}
    stage.menu(-1)["Skip the demo that is played"]()
    assert game.commands.get(timeout=LIMIT) == {"do": "skip"}
    front.panel.more.click()
    assert game.commands.get(timeout=LIMIT) == {"do": "times", "times": 3}
    stage.menu(-1)["Play once"]()
    assert game.commands.get(timeout=LIMIT) == {"do": "times", "times": 1}
    stage.menu(1)["Skip gate"]()
    assert game.commands.get(timeout=LIMIT)["demos"] == ["market"]


def test_what_is_refused_is_reported_in_the_panel(front, stage):
    front.panel.stop.click()
    stage.until(lambda: front.panel.controller.error_text == "not now")
    assert "not now" in stage.messages
    assert "not now" in stage.panel.text()


def test_bars_are_as_long_as_what_was_played(stage):
    def colored(row: int, name: str) -> int:
        image, box = stage.picture(), stage.panel.box_of(row)
        y = int(box.bottom() - 4)
        return sum(image.pixelColor(x, y).name() == name for x in range(image.width()))

    failed, playing = colored(1, palette.FAILED), colored(2, palette.RUNNING)
    assert 0 < failed < playing
    assert playing / failed == pytest.approx(0.5 / 0.3, rel=0.1)


def test_it_is_copied_as_text(stage):
    stage.menu(-1)["Copy as text"]()
    lines = QApplication.clipboard().text().splitlines()
    assert lines[0] == "Demos · time 1 of 2   40%"
    assert lines[-1] == "✕  gate — stuck   seed 3   2.0 s"


def test_a_game_that_goes_away_takes_nothing_with_it(front, stage, game):
    game.close()
    front.panel.skip.click()
    stage.until(lambda: front.panel.controller.error_text)
    assert front.panel.list.rows
