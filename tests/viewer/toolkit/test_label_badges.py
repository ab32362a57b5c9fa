"""Labels over things in the world: whole at the sides, a dot where another one is."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.viewer.toolkit.label_badges import LabelBadges
from playhead.viewer.toolkit.qt import QImage, QPainter, QPointF, Qt

WIDE = 400


@pytest.fixture
def draw(app):
    image = QImage(WIDE, 100, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.black)
    painter, pills, taken = QPainter(image), LabelBadges(), []

    def one(x, y=50.0, title="somebody", *, moves=False):
        """Have a label there; returns its box, or None if it is only a dot."""
        before = len(taken)
        pills.draw(
            painter, 1.0, QPointF(x, y), title, "waits", "#00ff00", outlined=False, taken=taken,
            wide=WIDE, moves=moves,
        )  # fmt: skip
        return taken[-1] if len(taken) > before else None

    yield one
    painter.end()


def test_a_label_stands_around_its_point(draw):
    box = draw(200.0)
    assert box.center().x() == pytest.approx(200, abs=1)
    assert box.center().y() == pytest.approx(50, abs=1)


@pytest.mark.parametrize("x", [0.0, 3.0, WIDE - 3.0, WIDE])
def test_at_the_sides_a_label_stays_whole(draw, x):
    box = draw(x)
    assert box.left() >= 0
    assert box.right() <= WIDE
    assert min(abs(box.left() - x), abs(box.right() - x)) <= 3


def test_one_that_is_wider_than_the_picture_begins_at_its_left(draw):
    assert draw(350.0, title="a long name " * 12).left() == 0


def test_where_another_one_is_there_is_a_dot_or_it_goes_down(draw):
    first = draw(200.0)
    assert draw(210.0, 52.0) is None
    below = draw(210.0, 52.0, moves=True)
    assert below.top() >= first.bottom()
