"""The steering dock as a person uses it."""

import math

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.viewer.panels.steering.steering_panel import SteeringPanel
from playhead.viewer.toolkit import palette
from playhead.viewer.toolkit.qt import QPointF

from ...animated_recording import CAMERA, DANCER, DT, RUNNER, WEAVES, make_clip
from ..panel_harness import open_dock

GREEN, YELLOW = "#4fb286", "#d8b545"


@pytest.fixture(scope="module")
def hall(tmp_path_factory):
    path = tmp_path_factory.mktemp("steering") / "hall.mcap"
    make_clip(path)
    return path


@pytest.fixture
def stage(app, until, hall):
    with open_dock(app, until, SteeringPanel, hall) as made:
        made.go(WEAVES[0] + 8, DANCER)
        yield made


def facts(stage):
    return {name: value for name, value, _ in stage.panel.facts}


def test_both_velocities_the_angle_between_and_the_nearest_are_reported(stage):
    result = facts(stage)
    assert result.pop("nearest").startswith("runner 2, 13.5")
    assert result == {
        "velocity": "2.50 m/s", "desired": "2.00 m/s", "off by": "-37°", "turning": "1.0 turns/s",
    }  # fmt: skip


def test_the_dial_has_both_arrows_where_they_point(stage):
    """The desired one along x, to the right; the velocity below it, for y is up."""
    box, size = stage.panel.box_of(1), stage.panel._dial_size
    centre = QPointF(12 + size / 2, box.top() + 3 + size / 2)
    scale = (size / 2 - 3) / stage.panel._greatest(stage.panel.motion)

    def near(x, y, hue):
        at = centre + QPointF(x * scale, -y * scale)
        return stage.shows(hue, at.x() - 2, at.y() - 2, 5, 5)

    assert near(1.0, -0.75, GREEN)
    assert any(near(part, 0.0, YELLOW) for part in (1.0, 1.2, 1.4))
    assert not near(1.0, 0.75, GREEN)


def test_an_oscillation_is_reported_with_its_rate_and_start_and_tinted(stage):
    calm = stage.colors()
    assert not stage.panel.text().splitlines()[1].startswith("oscillates")
    stage.go(150, DANCER)
    assert stage.panel.text().splitlines()[1].startswith("oscillates: ")
    assert " turns/s since 00:01." in stage.panel.text()
    assert float(facts(stage)["turning"].split()[0]) >= 6.0
    tinted = stage.colors() - calm
    assert palette.FAILED in tinted


def test_the_curves_are_drawn_and_a_click_on_them_goes_there(stage):
    speed, turning = stage.panel._strips()
    assert GREEN in stage.colors(speed.left(), speed.top(), speed.width(), speed.height())
    assert palette.ACCENT in stage.colors(
        turning.left(), turning.top(), turning.width() / 2, turning.height()
    )
    x = stage.panel._time_strip.x_of(60 * DT + 0.002, speed)
    stage.click(x, speed.center().y())
    stage.until(lambda: abs(stage.store.frame - 60) <= 1)


def test_hovering_a_curve_tells_the_values_there(stage):
    time = (WEAVES[0] + 8) * DT
    assert list(stage.panel._card(stage.panel.motion, time)) == [
        "00:01.625", "speed 2.50 m/s", "desired 2.00 m/s", "heading off by -37°",
        "1.0 turns/s in the 1 s before",
    ]  # fmt: skip
    assert stage.panel._card(stage.panel.motion, -9.0)[1] == "nothing is known there"
    speed, _ = stage.panel._strips()
    image = stage.hover(speed.center().x() - 40, speed.center().y())
    assert "#0b0d11" in {
        image.pixelColor(x, y).name() for x in range(0, 440, 3) for y in range(150, 420, 3)
    }  # fmt: skip


def test_without_a_desired_velocity_turns_are_drawn_and_the_missing_call_is_reported(stage):
    stage.go(60, RUNNER)
    assert facts(stage)["velocity"] == "2.00 m/s (from positions)"
    assert facts(stage)["desired"] == "not recorded"
    row_index = [name for name, _, _ in stage.panel.facts].index("desired")
    card = stage.panel.card(1, QPointF(stage.panel._dial_size + 60, 4 + 19 * row_index + 9))
    assert any("desired_velocity.x" in line for line in card)
    stage.picture()


def test_the_nearest_is_a_click_away(stage):
    stage.menu(1)["Select runner 2"]()
    assert stage.store.selected == RUNNER


def test_the_dial_and_each_line_have_a_card(stage):
    assert stage.panel.card(1, QPointF(40, 40))[0] == "Velocities from above, x to the right"
    beside = stage.panel._dial_size + 60
    assert stage.panel.card(1, QPointF(beside, 4 + 19 * 3 + 9))[1] == (
        "how often it turned to and fro in the 1 s before"
    )
    assert stage.panel.card(1, QPointF(beside, 4 + 19 * 9)) == ()


def test_who_is_nobody_or_a_camera_is_no_reason_to_fail(stage):
    stage.go(60, CAMERA)
    assert facts(stage)["velocity"].endswith("(from positions)")
    stage.picture()
    stage.go(60, 0)
    assert stage.panel.text() == "Select an object to see how it steers"
    assert "desired_velocity" in stage.panel.empty_hint
    stage.picture()


@pytest.mark.parametrize("size", [(120, 60), (260, 200), (800, 700)])
def test_it_can_be_drawn_at_any_size(stage, size):
    stage.panel.resize(*size)
    stage.picture()
    assert math.isfinite(stage.panel._dial_size)
