"""The window of a pygame program is recorded as pictures, each at the frame that it shows."""

import os
import sys
from importlib.util import find_spec

import numpy as np
import pytest

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
pygame = pytest.importorskip("pygame")
pytest.importorskip("simplejpeg")

import playhead as ph  # noqa: E402
from playhead.adapters.windows import screen_pictures  # noqa: E402
from playhead.recording_session import record  # noqa: E402

from ...support.process import run_process  # noqa: E402

DT = 1 / 60


class Ball:
    def __init__(self):
        self.x, self.y = 0, 50


@pytest.fixture
def window():
    pygame.display.init()
    yield pygame.display.set_mode((320, 200))
    pygame.display.quit()


def draw(surface, ball):
    surface.fill((0, 0, 0))
    pygame.draw.rect(surface, (0, 255, 0), (ball.x, ball.y, 20, 20))


def shown_x(picture):
    """Where the ball is in a picture."""
    return int(np.flatnonzero(picture.pixels()[60, :, 1] > 128)[0])


def recorded(path):
    """The pictures of a recording, and where the ball was in their frames."""
    with ph.open(path) as run:
        return [
            (picture, round(run.objects(picture.frame)[0].position[0]))
            for picture in run.pictures()
        ]


@pytest.mark.parametrize("inside", [True, False])
def test_each_picture_is_at_the_frame_that_it_shows_wherever_the_program_draws(
    window, tmp_path, inside
):  # fmt: skip
    ball = Ball()
    with record([ball], tmp_path / "run.mcap", dt=DT) as rec:
        for _ in range(40):
            with rec.frame():
                ball.x += 4
                if inside:
                    draw(window, ball)
            if not inside:
                draw(window, ball)
            rec.recorder.wait_for_pictures(10)
    found = recorded(tmp_path / "run.mcap")
    assert len(found) >= 15
    assert all(abs(shown_x(picture) - x) <= 2 for picture, x in found)
    assert found[-1][0].frame >= 39


def test_a_failed_check_has_its_own_frames_picture(window, tmp_path):
    ball = Ball()
    with record([ball], tmp_path / "run.mcap", dt=DT) as rec:
        for _ in range(9):
            with rec.frame():
                ball.x += 4
                draw(window, ball)
                rec.check(ball.x < 36, "the ball stays")
    frame = 9
    with ph.open(tmp_path / "run.mcap") as run:
        assert [check.frame for check in run.checks] == [frame]
        assert run.picture(frame).frame == frame
        assert shown_x(run.picture(frame)) == 36


def test_a_window_that_does_not_change_has_one_picture(window, tmp_path):
    window.fill((9, 99, 9))
    with record([Ball()], tmp_path / "run.mcap", dt=DT) as rec:
        for _ in range(20):
            with rec.frame():
                pass
            rec.recorder.wait_for_pictures(10)
    assert 1 <= len(recorded(tmp_path / "run.mcap")) <= 2


def test_other_surfaces_are_added_and_have_names_of_their_own(tmp_path):
    front, rear, ball = pygame.Surface((64, 40)), pygame.Surface((64, 40)), Ball()
    with record([ball], tmp_path / "run.mcap", dt=DT) as rec:
        rec.add(front)
        rec.add(rear, name="rear")
        for step in range(10):
            with rec.frame():
                front.fill((step, 0, 0))
                rear.fill((0, step, 0))
            rec.recorder.wait_for_pictures(10)
    names = {picture.name for picture, _ in recorded(tmp_path / "run.mcap")}
    assert names == {"screen", "rear"}


def test_without_the_library_the_run_goes_on_and_it_is_reported_once(
    window, tmp_path, monkeypatch, caplog
):  # fmt: skip
    monkeypatch.setitem(sys.modules, "simplejpeg", None)
    monkeypatch.setattr(
        screen_pictures, "find_spec", lambda name: None if name == "simplejpeg" else find_spec(name)
    )
    ball = Ball()
    with record([ball], tmp_path / "run.mcap", dt=DT, strict=True) as rec:
        for _ in range(20):
            with rec.frame():
                ball.x += 4
                draw(window, ball)
    said = [one.getMessage() for one in caplog.records if "simplejpeg" in one.getMessage()]
    assert len(said) == 1
    assert "[pictures]" in said[0]
    assert recorded(tmp_path / "run.mcap") == []


def test_pictures_may_be_switched_off(window, tmp_path):
    ball = Ball()
    with record([ball], tmp_path / "run.mcap", dt=DT, pictures=False) as rec:
        for _ in range(10):
            with rec.frame():
                ball.x += 4
                draw(window, ball)
    assert recorded(tmp_path / "run.mcap") == []


SHOWN_BY_OPENGL = """
import pygame
import playhead as ph

screen = pygame.display.set_mode((200, 100))
with ph.record({"ball": {"x": 0.0}}, "run.mcap", dt=1 / 60) as rec:
    for step in range(12):
        with rec.frame():
            pass
        screen.fill("black" if step == 6 else (20 * step, 0, 0))
        pygame.display.flip()
with ph.open("run.mcap") as run:
    print(bool(screen.get_flags() & pygame.OPENGL), sum(1 for _ in run.pictures()) > 2)
"""


def test_a_window_whose_surface_sdl_shows_by_opengl_has_pictures(tmp_path):
    (tmp_path / "game.py").write_text(SHOWN_BY_OPENGL)
    env = {"SDL_VIDEODRIVER": "offscreen", "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
    done = run_process(sys.executable, "game.py", cwd=tmp_path, env=env)
    if "False" in done.stdout.split()[:1]:
        pytest.skip("SDL shows surfaces without OpenGL here")
    assert done.stdout.split() == ["True", "True"], done.stderr
