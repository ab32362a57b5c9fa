"""An arena on the bus, and a user in front of it with mouse and keys."""

import threading

import pytest
from PyQt6.QtTest import QTest

from playhead.bus.server.bus_settings import BusSettings
from playhead.games.arena.fps.match.hall_game import AimGame
from playhead.session import Session
from playhead.viewer.panels.arena.arena_control_rows import ArenaRowKind
from playhead.viewer.toolkit.qt import QPoint, QPointF, Qt

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton


class Clock:
    """A clock that only a test moves."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Hall:
    """An arena on the bus, in a thread of its own, that steps until it is closed."""

    def __init__(self, mode):
        self._mode, self._ended, self._ready = mode, threading.Event(), threading.Event()
        self.endpoint, self.clock = "", Clock()
        self._thread = threading.Thread(target=self._run, name="the hall")
        self._thread.start()
        assert self._ready.wait(20)

    def _run(self):
        settings = BusSettings("tcp://127.0.0.1:*", patience=2.0)
        with (
            AimGame(seed=3, agents=1, mode=self._mode, clock=self.clock) as game,
            Session(game.world, "16 MiB", handlers=game.handlers, bus=settings) as session,
        ):
            game.attach(session)
            self.game, self.endpoint = game, session.bus.endpoint
            self._ready.set()
            while not self._ended.wait(0.01):
                if session.live:
                    game.step()
                session.update(game.dt)

    @property
    def match(self):
        return self.game.match

    def close(self):
        self._ended.set()
        self._thread.join(20)


class Person:
    """A user of a window on an arena."""

    def __init__(self, one, until):
        self.window, self.until = one, until
        self.panel, self.orders, self.world = one.arena, one.arena.orders, one.world
        self.messages = []
        one.store.message.connect(self.messages.append)
        until(lambda: one.docks.is_in_sight("Arena"))
        one.action_handlers.see_all()
        # The camera must not follow anything while pixels are converted to points.
        until(lambda: not self.world.follow and self.world.scene is not None)

    @property
    def state(self):
        return self.orders.state

    def pixel(self, x, y):
        view = self.world.camera.view(self.world.width(), self.world.height())
        points, front, _ = view.project((x, y, 0.0))
        assert front[0]
        return QPointF(*points[0].tolist()).toPoint()

    def point(self, x, y):
        """Move the mouse over a point, and wait for the game's preview of it."""
        near = pytest.approx((x, y), abs=0.3)

        def is_there():
            ghost = self.orders.ghost
            if ghost is None or ghost.at != near:
                # A panel that is laid out late may have moved the world under the mouse.
                QTest.mouseMove(self.world, self.pixel(x, y) + QPoint(4, 0))
                QTest.mouseMove(self.world, self.pixel(x, y))
                return False
            return ghost.is_known

        self.until(is_there)
        return self.orders.ghost

    def click(self, x, y, button=RIGHT):
        QTest.mouseClick(self.world, button, pos=self.pixel(x, y))

    def press(self, text):
        """Click the cell of the panel with this text."""
        row, index = next(
            (row, index)
            for row, item in enumerate(self.panel.rows)
            for index, cell in enumerate(item.cells)
            if text in (cell.text, f"{item.title} {cell.text}")
        )
        self.panel.show_row(row)
        QTest.mouseClick(self.panel, LEFT, pos=self.panel.cell_boxes(row)[index].center().toPoint())

    def count(self, color):
        """How many pixels of the world have this colour."""
        image = self.world.grab().toImage()
        return sum(
            image.pixelColor(x, y).name() == color
            for x in range(image.width())
            for y in range(image.height())
        )


def odds(here, target="goto"):
    return here.state.odds[target]


def row_of(here, target, difficulty):
    return next(
        row
        for row, item in enumerate(here.panel.rows)
        if item.kind is ArenaRowKind.ODDS and item.cells[0].action[:2] == (target, difficulty)
    )


def type_probability(here, target, difficulty, text):
    row = row_of(here, target, difficulty)
    here.panel.show_row(row)
    at = here.panel.cell_boxes(row)[0].center().toPoint()
    QTest.mouseDClick(here.panel, LEFT, pos=at)
    assert here.panel._editor.isVisible()
    name = f"Probability of {target} difficulty {difficulty}"
    assert here.panel._editor.accessibleName() == name
    here.panel._editor.selectAll()
    QTest.keyClicks(here.panel._editor, text)
    QTest.keyClick(here.panel._editor, Qt.Key.Key_Return)
    assert not here.panel._editor.isVisible()
