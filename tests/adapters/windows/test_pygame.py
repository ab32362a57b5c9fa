"""Sprites, groups, rectangles and vectors of pygame."""

import os
from typing import Any

import pytest

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
pygame = pytest.importorskip("pygame")

from playhead.playback.commands import Enter, SeekFrame  # noqa: E402, Enter
from playhead.recording_session import record  # noqa: E402

DT = 1 / 60


class Enemy(pygame.sprite.Sprite):
    def __init__(self, x: int, *groups: Any) -> None:
        super().__init__(*groups)
        self.image = pygame.Surface((20, 10))
        self.rect = self.image.get_rect(topleft=(x, 5))
        self.velocity = pygame.Vector2(2, 0.5)
        self.color = pygame.Color(255, 0, 0)

    def update(self) -> None:
        self.rect.x += 2
        self.velocity.y += 0.25


def test_a_group_is_its_sprites_which_come_and_go_with_it():
    group = pygame.sprite.Group()
    enemies = [Enemy(x, group) for x in (0, 100)]
    with record(dt=DT, strict=True) as rec:
        rec.add(group)
        rec.add(group)
        for _ in range(3):
            with rec.frame():
                group.update()
        enemies[0].kill()
        rec.update()
        found = {packet.id: (packet, result) for packet, result in rec.source.decoded(3)}
        packet, result = found[1]
        assert packet.type == "Enemy"
        assert packet.position == (6 + 10, 5 + 5, 0)
        assert result["rect"].tolist() == [6, 5, 20, 10]
        assert result["image.size"].tolist() == [20, 10]
        assert result["velocity"].tolist() == [2, 1.25]
        assert result["color"].tolist() == [255, 0, 0, 255]
        assert [one.id for one in rec.source.objects(4)] == [2]
        assert rec.source.conventions(1).up == "-y"
        assert rec.source.conventions(1).unit == "px"
        assert list(group) == [enemies[1]]


def test_lengths_are_in_the_unit_that_is_found_out():
    with record(Enemy(0), dt=DT, strict=True) as rec:
        rec.update()
        layout = rec.source.layout(1, "Enemy")
    assert layout is not None
    assert layout.notes["velocity"].unit == "px/s"


def test_rectangles_and_vectors_are_set_back_in_place():
    group = pygame.sprite.Group()
    enemy = Enemy(0, group)
    rect, velocity, color = enemy.rect, enemy.velocity, enemy.color
    with record(group, dt=DT, strict=True) as rec:
        for _ in range(4):
            with rec.frame():
                group.update()
        rec.apply(Enter(), now=True)
        rec.apply(SeekFrame(1))
        assert (enemy.rect is rect, rect.x) == (True, 2)
        assert (enemy.velocity is velocity, velocity.y) == (True, 0.75)
        rec.leave()
        assert (enemy.rect is rect, rect.x) == (True, 8)
        assert (enemy.velocity is velocity, velocity.y) == (True, 1.5)
        assert (enemy.color is color, tuple(color)) == (True, (255, 0, 0, 255))


def test_frects_and_vectors_of_three_are_exact():
    class Thing:
        def __init__(self) -> None:
            self.box = pygame.FRect(0.1, 0.2, 3.3, 4.4)
            self.pos = pygame.Vector3(0.1, 0.2, 0.3)

    thing = Thing()
    before = repr(thing.box), tuple(thing.pos)
    with record([thing], dt=DT, strict=True) as rec:
        rec.update()
        thing.pos += (1, 1, 1)
        rec.update()
        rec.apply(Enter(), now=True)
        rec.apply(SeekFrame(1))
        assert (repr(thing.box), tuple(thing.pos)) == before
        rec.leave()
        assert tuple(thing.pos) == (1.1, 1.2, 1.3)
        [(packet, _)] = rec.source.decoded(1)
        assert packet.position == pytest.approx((0.1, 0.2, 0.3))
