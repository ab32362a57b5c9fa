"""Lists that are painted by rows."""

import pytest

pytest.importorskip("PyQt6")

from playhead.viewer.toolkit.qt import QColor, QImage
from playhead.viewer.widgets.lists.virtual_list import VirtualList

RGB = QImage.Format.Format_RGB32


class Words(VirtualList):
    """Words below one another, kept as pictures."""

    empty = "No words"

    def __init__(self):
        super().__init__("Words")
        self.words = []
        self.drawn = []

    def heights(self):
        return [20] * len(self.words)

    def cache_key(self, row):
        return self.words[row]

    def paint_row(self, painter, row, box):
        self.drawn.append(self.words[row])
        painter.fillRect(box, QColor(self.words[row]))

    def tell(self, *words):
        self.words = words
        self.refresh()


@pytest.fixture
def words(app):
    one = Words()
    one.resize(120, 90)
    one.show()
    yield one
    one.close()
    one.deleteLater()


def test_a_row_is_painted_anew_where_it_looks_otherwise_and_all_where_the_list_was_empty(
    words, app
):
    for result in (
        ("red", "blue"),
        ("red", "lime"),
        (),
        ("red", "lime"),
        ("red",),
        ("red", "lime"),
    ):
        words.tell(*result)
        for _ in range(3):
            app.processEvents()
        seen = words.screen().grabWindow(words.winId()).toImage()
        assert seen.convertToFormat(RGB) == words.grab().toImage().convertToFormat(RGB), result
    assert words.drawn == ["red", "blue", "lime"]  # each word's picture is made once
