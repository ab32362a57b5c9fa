"""A real window on a real X server, driven from outside as a person would."""

import signal

import pytest

from ...support.waits import until
from ..display import needs_display

pytestmark = [pytest.mark.slow, needs_display]


def test_a_window_opens_scrubs_and_closes(display, shown, clip):
    viewer = shown("view", clip, "--size", "1200x760")
    window = display.window("yard.mcap")
    # The title says the frame: what a person reads there, a test can read too.
    until(lambda: "frame 160" in display.title(window))
    display.xdotool("key", "--window", window, "Home")
    until(lambda: "frame 1 —" in display.title(window))
    display.xdotool("mousemove", "--window", window, "700", "640", "click", "1")
    until(lambda: "frame 1 —" not in display.title(window))
    viewer.send_signal(signal.SIGINT)
    code, _, err = viewer.end()
    assert code == 0
    assert "Traceback" not in err
