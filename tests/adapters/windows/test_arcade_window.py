"""Windows of arcade are recorded step by step, with the sprites that their program holds."""

import os
from typing import Any

import numpy as np
import pytest

from playhead.playback.commands import Enter, SeekFrame
from playhead.recording_session import record

from ...support.late_import import imported_at_use

os.environ.setdefault("ARCADE_HEADLESS", "true")
arcade = imported_at_use("arcade")

DT = 1 / 60


def game_class() -> Any:
    """A game with a window. Its classes derive from classes of the library, hence are made late."""

    class Coin(arcade.SpriteSolidColor):
        def update(self, delta_time: float = DT) -> None:
            self.center_x += 2
            self.angle += 9
            self.scale = 1 + self.angle / 90

    class Level:
        def __init__(self) -> None:
            self.scene = arcade.Scene()
            self.scene.add_sprite("coins", Coin(20, 10, 40, 60))
            self.bullets = {"left": [arcade.SpriteList()]}

    class Game(arcade.Window):
        def __init__(self) -> None:
            super().__init__(160, 120, "coins")
            self.level = Level()

        def on_update(self, delta_time: float) -> None:
            self.level.scene.update(delta_time)

        def on_draw(self) -> None:
            self.clear()
            self.level.scene.draw()
            for bullets in self.level.bullets["left"]:
                bullets.draw()

        def run_step(self) -> None:
            self.on_update(DT)
            self.draw(DT)

    return Game


@pytest.fixture(scope="module", autouse=True)
def its_threads_run() -> None:
    """It starts threads for good when it is imported: not within a test."""
    assert arcade.Window


@pytest.fixture
def game() -> Any:
    try:
        game = game_class()()
    except Exception as error:  # no OpenGL without a display here
        pytest.skip(f"arcade opens no window: {error}")
    yield game
    game.close()


def pixels(window: Any) -> Any:
    screen = window.ctx.screen
    return np.frombuffer(screen.read(components=3), np.uint8).copy()


def test_each_picture_of_the_window_is_a_frame_with_the_sprites_as_they_were_drawn(game):
    with record(game, dt=DT, strict=True) as rec:
        rec.add(game)  # twice is once
        for _ in range(5):
            game.run_step()
        bullet = arcade.SpriteSolidColor(4, 4, 10, 10)
        game.level.bullets["left"][0].append(bullet)
        game.run_step()
        assert rec.source.span.newest == 6
        ((packet, values),) = rec.source.decoded(3)
        assert packet.type == "Coin"
        assert packet.position == (46, 60, 0)
        assert values["angle"] == 27
        assert packet.angles[2] == pytest.approx(np.radians(-27))  # arcade turns clockwise
        assert values["scale"].tolist() == pytest.approx([1.3, 1.3])
        assert [one.type for one in rec.source.objects(6)] == ["Coin", "SpriteSolidColor"]
        assert rec.source.conventions(1).up == "y"
        assert rec.source.conventions(1).unit == "px"
        bullet.kill()
        game.run_step()
        assert [one.type for one in rec.source.objects(7)] == ["Coin"]
    assert game.flip.__func__ is arcade.Window.flip  # the window is as it was


def test_playback_puts_the_sprites_back_and_the_window_shows_them(game):
    coin = game.level.scene["coins"][0]
    shown = []
    with record(game, dt=DT, strict=True) as rec:
        for _ in range(6):
            game.run_step()
            shown.append(pixels(game))
        newest = coin.position, coin.angle, coin.scale
        rec.apply(Enter(), now=True)
        rec.apply(SeekFrame(2))
        assert (coin.position, coin.angle, coin.scale) == ((44, 60), 18, (1.2, 1.2))
        assert np.array_equal(pixels(game), shown[1])
        rec.leave()
        assert (coin.position, coin.angle, coin.scale) == newest
        assert np.array_equal(pixels(game), shown[5])


def test_sprites_of_a_view_are_recorded_while_it_is_shown(game):
    class Menu(arcade.View):
        def __init__(self) -> None:
            super().__init__(game)
            self.buttons = arcade.SpriteList()
            self.buttons.append(arcade.SpriteSolidColor(30, 10, 80, 60))

        def on_draw(self) -> None:
            self.clear()
            self.buttons.draw()

    with record(game, dt=DT, strict=True) as rec:
        game.show_view(Menu())
        game.run_step()
        assert {one.type for one in rec.source.objects(1)} == {"Coin", "SpriteSolidColor"}
        game.hide_view()
        game.run_step()
        assert [one.type for one in rec.source.objects(2)] == ["Coin"]


def test_a_sprite_list_is_recorded_without_its_window(game):
    coins = game.level.scene["coins"]
    with record(coins, dt=DT, strict=True) as rec:
        with rec.frame():
            coins.update(DT)
        ((packet, _),) = rec.source.decoded(1)
        assert (packet.type, packet.position) == ("Coin", (42, 60, 0))


def test_no_time_passes_for_the_program_while_a_user_looks_at_the_past(game, monkeypatch):
    import pyglet

    from playhead.adapters.windows import arcade_window

    now = [100.0]
    clock = pyglet.clock.Clock(lambda: now[0])
    monkeypatch.setattr(pyglet.clock, "_default", clock)
    monkeypatch.setattr(arcade_window.time, "perf_counter", lambda: now[0])

    def wait() -> None:
        now[0] += 30

    for _ in range(2):
        arcade_window.wait_outside_of_time(wait)
        now[0] += 1
    assert now[0] == 162
    assert clock.time() == 102
