"""Programs of each library are recorded without a change to them, and go on as they would."""

from collections.abc import Callable
from pathlib import Path

import pytest

import playhead as ph

from .conftest import Ended

Run = Callable[..., Ended]
Write = Callable[[str, str], Path]

SPRITES = """
import random, sys, zlib
import pygame

class Enemy(pygame.sprite.Sprite):
    def __init__(self, number):
        super().__init__()
        self.image = pygame.Surface((20, 20))
        self.image.fill("tomato")
        self.rect = self.image.get_rect(topleft=(40 * number, 60))
        self.speed = random.choice([-3, 2, 3])

    def update(self):
        self.rect.x += self.speed
        if self.rect.x > 150:
            self.kill()

def main():
    random.seed(4)
    screen = pygame.display.set_mode((320, 240))
    enemies = pygame.sprite.Group(Enemy(number) for number in range(4))
    for step in range(20):
        enemies.update()
        screen.fill("black")
        enemies.draw(screen)
        pygame.display.flip()
    print(zlib.crc32(pygame.image.tobytes(screen, "RGB")), [one.rect for one in enemies])

main()
"""


def test_sprites_and_the_window_of_pygame_are_recorded(
    record: Run, plain: Run, write: Write, tmp_path: Path
) -> None:
    write("game.py", SPRITES)
    recorded = record("game.py", "--level", "3")
    assert recorded.stdout == plain("game.py").stdout
    assert "recorded game.mcap: " in recorded.stderr
    assert "pygame sprites  Enemy" in recorded.stderr
    assert "playhead view game.mcap" in recorded.stderr
    assert not (tmp_path / "game.ring").exists()
    with ph.open(tmp_path / "game.mcap") as run:
        assert [one.type for one in run.objects(1)] == ["Enemy"] * 4
        times, x = run.history(run.objects(1)[0].id, "rect")
        assert len(times) >= 20
        assert len(set(map(tuple, x[:20]))) == 20  # it moved in each


VARIABLES = """
import dataclasses
import pygame

@dataclasses.dataclass
class Ball:
    x: float
    y: float
    speed: float = 2.0

class Game:
    def __init__(self):
        self.balls = [Ball(10 * n, 20) for n in range(3)]
        self.paddle = pygame.Rect(0, 200, 50, 10)
        self.goal = None

    def play(self):
        score = 0
        where = pygame.Vector2(3, 4)
        for step in range(10):
            for ball in self.balls:
                ball.x += ball.speed
            self.paddle.x += 1
            where = where + (1, 0)
            score += 1
            pygame.display.update()

pygame.display.set_mode((100, 100))
Game().play()
"""


def test_objects_with_a_place_are_found_where_there_are_no_sprites(
    record: Run, write: Write, tmp_path: Path
) -> None:
    write("game.py", VARIABLES)
    assert record("--dt", "0.1", "game.py").returncode == 0
    with ph.open(tmp_path / "game.mcap") as run:
        types = [one.type for one in run.objects(1)]
        assert types.count("Ball") == 3
        assert "Rect" in types
        named = {one.name: one.id for one in run.objects(1)}
        assert list(run.history(named["self.paddle"], "rect")[1][:10, 0]) == list(range(1, 11))
        assert list(run.history(named["where"], "position")[1][:10, 0]) == list(range(4, 14))
        times, scores = run.history(named["variables of play()"], "score")
        assert list(scores[:10]) == list(range(1, 11))
        assert times[9] - times[0] == pytest.approx(0.9)


SPACE = """
import pymunk
space = pymunk.Space()
space.gravity = 0, -10
ball = pymunk.Body(1, 1)
space.add(ball, pymunk.Circle(ball, 1))
for step in range(30):
    space.step(0.02)
print(ball.position, ball.velocity)
"""


def test_a_space_of_pymunk_makes_frames_by_its_steps(
    record: Run, plain: Run, write: Write, tmp_path: Path
) -> None:
    pytest.importorskip("pymunk")
    write("fall.py", SPACE)
    assert record("--out", "down.mcap", "fall.py").stdout == plain("fall.py").stdout
    with ph.open(tmp_path / "down.mcap") as run:
        times, y = run.history(run.objects(1)[0].id, "position")
        assert times[-1] == pytest.approx(0.6)
        assert y[-1][1] < -1


GYMNASIUM = """
import gymnasium
env = gymnasium.make("CartPole-v1")
observation, _ = env.reset(seed=4)
env.action_space.seed(4)
for step in range(40):
    observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
    if terminated or truncated:
        env.reset()
print(env, observation, env.render_mode)
env.close()
env.close()
"""


@pytest.mark.slow
def test_an_environment_of_gymnasium_is_recorded_with_its_picture(
    record: Run, plain: Run, write: Write, tmp_path: Path
) -> None:
    pytest.importorskip("gymnasium")
    write("learn.py", GYMNASIUM)
    recorded, expected = record("learn.py"), plain("learn.py")
    assert (recorded.stdout, recorded.returncode) == (expected.stdout, expected.returncode)
    assert "gymnasium environment  CartPole-v1" in recorded.stderr
    with ph.open(tmp_path / "learn.mcap") as run:
        (cart,) = run.objects()
        assert cart.type == "CartPole-v1"
        assert run.marks[0].name == "episode 1"
        assert run.pictures()


PARALLEL = """
from pettingzoo.butterfly import cooperative_pong_v6
env = cooperative_pong_v6.parallel_env()
observations, _ = env.reset(seed=3)
for agent in env.agents:
    env.action_space(agent).seed(3)
for step in range(5):
    env.step({agent: env.action_space(agent).sample() for agent in env.agents})
turns = cooperative_pong_v6.env()
turns.reset(seed=3)
for agent in turns.agent_iter(6):
    turns.last()
    turns.step(1)
print(env, env.agents, turns.rewards)
"""


@pytest.mark.slow
def test_environments_of_pettingzoo_are_recorded(record: Run, plain: Run, write: Write) -> None:
    pytest.importorskip("pettingzoo")
    write("teams.py", PARALLEL)
    recorded = record("teams.py")
    assert recorded.stdout == plain("teams.py").stdout
    assert "pettingzoo environment  cooperative_pong" in recorded.stderr
