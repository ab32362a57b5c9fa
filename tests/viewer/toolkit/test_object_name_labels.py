"""Labels over things in the world: complete at the sides, only a dot where another label is."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.viewer.toolkit.object_name_labels import LabelBadges
from playhead.viewer.toolkit.qt import QImage, QPainter, QPointF, Qt

WIDTH = 400


@pytest.fixture
def draw(app):
    image = QImage(WIDTH, 100, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.black)
    painter, badges, taken = QPainter(image), LabelBadges(), []

    def draw_label(x, y=50.0, title="somebody", *, moves_down=False):
        """Draw a label around a point; returns its box, or None if it is only a dot."""
        before = len(taken)
        badges.draw(
            painter, 1.0, QPointF(x, y), title, "waits", "#00ff00", outlined=False, taken=taken,
            image_width=WIDTH, moves_down=moves_down,
        )  # fmt: skip
        return taken[-1] if len(taken) > before else None

    yield draw_label
    painter.end()


def test_a_label_is_centred_on_its_point(draw):
    box = draw(200.0)
    assert box.center().x() == pytest.approx(200, abs=1)
    assert box.center().y() == pytest.approx(50, abs=1)


@pytest.mark.parametrize("x", [0.0, 3.0, WIDTH - 3.0, WIDTH])
def test_a_label_at_the_side_stays_inside_of_the_picture(draw, x):
    box = draw(x)
    assert box.left() >= 0
    assert box.right() <= WIDTH
    assert min(abs(box.left() - x), abs(box.right() - x)) <= 3


def test_a_label_wider_than_the_picture_begins_at_the_left_side(draw):
    assert draw(350.0, title="a long name " * 12).left() == 0


def test_a_label_over_another_one_becomes_a_dot_or_moves_below_it(draw):
    first = draw(200.0)
    assert draw(210.0, 52.0) is None
    below = draw(210.0, 52.0, moves_down=True)
    assert below.top() >= first.bottom()
