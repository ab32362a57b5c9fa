"""The overview above the lanes: states where frames take all the same time, and problems."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

import playhead as ph
from playhead.viewer.panels.timeline.overview_and_ruler_painter import GUTTER, OVERVIEW
from playhead.viewer.toolkit import palette


def color_at(opened, share: float, y: int = OVERVIEW // 2) -> str:
    """The overview's colour at a share of its width."""
    timeline = opened.timeline
    image = timeline.grab().toImage()
    return image.pixelColor(int(GUTTER + share * (timeline.width() - GUTTER)), y).name()


def test_where_frames_take_all_the_same_time_it_shows_the_selected_agent_s_states(window, clip):
    opened = window(clip)
    opened.store.select(1)
    patrol, chase = palette.state_color("Patrol"), palette.state_color("Chase")
    assert color_at(opened, 0.1) == patrol
    assert color_at(opened, 0.4) == chase
    opened.store.select(2)  # it has no states: the time between frames again
    assert color_at(opened, 0.1) not in (patrol, chase)


def test_a_slow_frame_has_a_bar_that_no_zoom_hides(window, tmp_path):
    guard = {"hp": 1.0}
    path = tmp_path / "slow.mcap"
    with ph.record({"guard": guard}, path, dt=0.01) as rec:
        for step in range(200):
            rec.update(0.5 if step == 100 else 0.01)
    opened = window(path)
    timeline = opened.timeline

    def colors() -> set[str]:
        image = timeline.grab().toImage()
        return {image.pixelColor(x, OVERVIEW - 5).name() for x in range(GUTTER, timeline.width())}

    assert palette.FAILED in colors()
    timeline.scale.fit(0.0, 0.2)
    timeline.update()
    dimmed = colors()
    assert any(int(one[1:3], 16) > 1.3 * int(one[3:5], 16) + 20 for one in dimmed)  # still red


def test_two_failures_in_one_frame_are_one_sign_with_a_number(window, tmp_path, until):
    with ph.record({"guard": {"hp": 1.0}}, tmp_path / "two.mcap", dt=0.1) as rec:
        for step in range(40):
            with rec.frame():
                if step in (10, 30):
                    rec.check(False, f"first {step}")
                if step == 10:
                    rec.check(False, "second")
    opened = window(tmp_path / "two.mcap")
    timeline = opened.timeline
    image = timeline.grab().toImage()

    def light(step: int) -> int:
        """Bright pixels to the right of a sign: those of the number."""
        scale = timeline.scale
        share = (0.1 * (step + 1) - scale.first) / (scale.last - scale.first)
        x = int(GUTTER + share * timeline.room) + 7
        return sum(
            image.pixelColor(x + across, down).lightness() > 130
            for across in range(14) for down in range(2, 13)
        )  # fmt: skip

    assert light(10) > 8
    assert light(30) == 0
    assert "×2" not in timeline.text()  # in words each is named
    assert "second" in timeline.text()
