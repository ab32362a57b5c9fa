"""The tree maker in front of a running game: what is dragged there drives the guard."""

import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.agents.behaviour_trees.tree_driven_game import TreeDrivenGame
from playhead.agents.behaviour_trees.workspace.workspace import SHIPPED
from playhead.bus.server.bus_settings import BusSettings
from playhead.games.arena.yard_game import ArenaGame
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.session import Session
from playhead.viewer.backends.open_target import target_of
from playhead.viewer.panels.tree_maker.tree_maker_panel import TreeMakerPanel, carried_in, data_of
from playhead.viewer.state.viewer_store import ViewerStore
from playhead.viewer.toolkit.qt import QEvent

from ....support.waits import LIMIT
from ..panel_harness import DockHarness


class Driven:
    """A yard whose guard a tree drives, in a thread of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.commands: list[set[str]] = []
        self._ended, self._ready = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="driven")
        self._thread.start()
        assert self._ready.wait(LIMIT)

    def _run(self) -> None:
        with (
            TreeDrivenGame(ArenaGame(seed=7), self.folder, "sentry") as game,
            Session(
                game.world, "4 MiB", handlers=game.handlers, on_check=UNATTENDED,
                bus=BusSettings("tcp://127.0.0.1:*", patience=2.0),
            ) as session,
        ):  # fmt: skip
            assert session.bus is not None
            self.endpoint = session.bus.endpoint
            game.attach(session)
            self._ready.set()
            while not self._ended.wait(0.01):
                if session.live:
                    game.step()
                    if game.agent is not None:
                        self.commands = [*self.commands[-20:], set(game.agent.commands)]
                session.update(game.dt)

    def close(self) -> None:
        self._ended.set()
        self._thread.join(LIMIT)


class Front:
    """The panel by itself, in front of a game."""

    def __init__(self, app: Any, endpoint: str) -> None:
        self.store = ViewerStore(target_of(endpoint))
        self.panel = TreeMakerPanel(self.store)
        self.panel.resize(620, 420)
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
def game(tmp_path):
    made = Driven(shutil.copytree(SHIPPED / "yard_guard", tmp_path / "mine"))
    yield made
    made.close()


@pytest.fixture
def front(app, game, until):
    made = Front(app, game.endpoint)
    try:
        until(lambda: made.panel.controller.tree is not None)
        yield made
    finally:
        made.close()


def titles(front: Front) -> list[str]:
    return [line.title for line in front.panel.tree.lines]


def test_it_shows_the_tree_of_the_agent_and_its_palette(front):
    assert titles(front)[:2] == ["patrol", "look around at the post"]
    names = [item.name for item in front.panel.palette_list.items]
    assert {"selector", "walk to the post", "is hurt"} <= set(names)
    assert front.panel.run.isEnabled()
    assert not front.panel.undo.isEnabled()


def test_what_is_dragged_in_is_checked_and_drives_once_it_is_run(front, game, app, until):
    tree, palette = front.panel.tree, front.panel.palette_list
    until(lambda: any("speed" in given for given in game.commands))
    row = next(n for n, item in enumerate(palette.items) if item.name == "look around")
    carried = carried_in(data_of(palette.carried(row)))
    tree.drop(carried, 1, 0.1)
    until(lambda: front.panel.undo.isEnabled())
    assert titles(front)[1] == "look around"
    assert any("can never be reached" in title for title in titles(front))
    assert front.panel.run.text() == "Run •"
    front.panel.run.click()
    until(lambda: front.panel.run.text() == "Run")
    until(lambda: game.commands and all(given == {"face"} for given in game.commands[-20:]))


def test_a_refused_edit_is_shown_in_the_list_and_in_the_status_bar_until_the_next_one(front, until):
    said: list[str] = []
    front.store.message.connect(said.append)
    front.panel.controller.command({"do": "rename", "name": "nobody", "new": "somebody"})
    until(lambda: said)
    assert "nobody" in said[0]
    assert said[0] in titles(front)
    front.panel.controller.command({"do": "state"})
    until(lambda: said[0] not in titles(front))


def test_a_tree_that_is_wrong_cannot_be_run_until_that_is_undone(front, until):
    front.panel.tree.drop({"item": "inverter"}, 1, 0.1)
    until(lambda: not front.panel.run.isEnabled())
    assert any("it has 0 children" in title for title in titles(front))
    front.panel.undo.click()
    until(lambda: front.panel.run.isEnabled())
    assert "inverter 1" not in titles(front)


def test_nodes_are_moved_renamed_and_taken_away(front, app, until):
    stage = DockHarness(app, until, front.panel.tree, front.store)
    rows = {title: n for n, title in enumerate(titles(front))}
    front.panel.tree.drop({"node": rows["walk to the post"]}, rows["pass the post by"], 0.1)
    until(lambda: titles(front).index("walk to the post") < titles(front).index("pass the post by"))
    stage.menu(titles(front).index("pass the post by"))["Take pass the post by away"]()
    until(lambda: "pass the post by" not in titles(front))
    node = front.panel.tree.lines[1].node
    front.panel.tree.rename(node, "stand there")
    until(lambda: titles(front)[1] == "stand there")
    front.panel.tree.rename(node, "patrol")
    until(lambda: any("there is no node" in title for title in titles(front)))


def test_it_is_painted(front, app, until):
    stage = DockHarness(app, until, front.panel.tree, front.store)
    assert len(stage.colors()) > 5
    assert "patrol\n" in front.panel.tree.text()


def test_stop_lets_the_guard_think_for_itself(front, until):
    front.panel.stop.click()
    until(lambda: front.panel.controller.tree.driving == "")
    assert not front.panel.stop.isEnabled()
