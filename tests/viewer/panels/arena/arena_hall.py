"""A hall on the bus, and somebody who looks into it and uses the mouse and the keys."""

import threading

import pytest
from PyQt6.QtTest import QTest

from playhead.bus.server.bus_settings import BusSettings
from playhead.games.arena.fps.match.game import AimGame
from playhead.session import Session
from playhead.viewer.panels.arena.arena_rows import ArenaRowKind
from playhead.viewer.toolkit.qt import QPoint, QPointF, Qt

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton


class Clock:
    """Stands still until somebody moves it."""

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
    """Looks into a hall and uses the mouse and the keys."""

    def __init__(self, one, until):
        self.window, self.until = one, until
        self.panel, self.orders, self.world = one.arena, one.arena.orders, one.world
        self.messages = []
        one.store.message.connect(self.messages.append)
        until(lambda: one.docks.is_in_sight("Arena"))
        one.action_handlers.see_all()
        # The game must not draw the camera after it while pixels are reckoned with.
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
        """Move the mouse over that place, and wait until the game has said what it thinks."""
        near = pytest.approx((x, y), abs=0.3)

        def is_there():
            ghost = self.orders.ghost
            if ghost is None or ghost.at != near:
                # Panels that find their place late may take the world away from under the mouse.
                QTest.mouseMove(self.world, self.pixel(x, y) + QPoint(4, 0))
                QTest.mouseMove(self.world, self.pixel(x, y))
                return False
            return ghost.is_known

        self.until(is_there)
        return self.orders.ghost

    def click(self, x, y, button=RIGHT):
        QTest.mouseClick(self.world, button, pos=self.pixel(x, y))

    def press(self, words):
        """Press the field of the panel that says this, with the mouse."""
        row, place = next(
            (row, place)
            for row, told in enumerate(self.panel.rows)
            for place, cell in enumerate(told.cells)
            if words in (cell.words, f"{told.title} {cell.words}")
        )
        self.panel.show_row(row)
        QTest.mouseClick(self.panel, LEFT, pos=self.panel.fields(row)[place].center().toPoint())

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
        for row, told in enumerate(here.panel.rows)
        if told.kind is ArenaRowKind.ODDS and told.cells[0].does[:2] == (target, difficulty)
    )


def type_probability(here, target, difficulty, text):
    row = row_of(here, target, difficulty)
    here.panel.show_row(row)
    at = here.panel.fields(row)[0].center().toPoint()
    QTest.mouseDClick(here.panel, LEFT, pos=at)
    assert here.panel._share_edit.isVisible()
    name = f"Probability of {target} difficulty {difficulty}"
    assert here.panel._share_edit.accessibleName() == name
    here.panel._share_edit.selectAll()
    QTest.keyClicks(here.panel._share_edit, text)
    QTest.keyClick(here.panel._share_edit, Qt.Key.Key_Return)
    assert not here.panel._share_edit.isVisible()
