"""Fights near what may harm the player, and items that a wounded player goes farther for."""

import math

import msgspec

from playhead.games.playable_interface import ObservedEntity

from .field import COLUMNS, Area, Enemy, Field, record, replay, settings_of

BARREL = (6.0, 1.0)
NEAR = 3.0
GUN = settings_of(f"enemies: {{range: 9.0, attack: 14.0, close: 14.0, danger: {NEAR}, period: 6}}")


class Yard(Field):
    """Somebody who shoots, and a barrel beside the way."""

    def step(self, pad):
        shoots = pad.held & ~self.before
        super().step(pad)
        if shoots:
            for enemy in self.area.enemies:
                enemy.hp -= 0.25
                self.shot_from.append(math.dist((self.x, self.y), BARREL))

    def __init__(self, enemies):
        super().__init__([Area("a", enemies=enemies)])
        self.shot_from = []

    def observe(self):
        return msgspec.structs.replace(
            super().observe(), dangers=(ObservedEntity("barrel", (*BARREL, 0.0)),)
        )


def test_who_fights_beside_a_barrel_goes_back_first(tmp_path):
    demo = record(Field([Area("a")]), [("go", 14, 0)], tmp_path / "walk.csv")
    yard = Yard([Enemy((13.0, 0.5), hp=4.0, speed=0.0)])
    agent = replay(yard, demo, GUN)
    assert agent.report.finished, agent.failure
    assert not yard.area.enemies
    assert min(yard.shot_from[-8:]) >= NEAR - 0.5


def test_it_passes_a_barrel_that_it_can_not_avoid(tmp_path):
    demo = record(Field([Area("a")]), [("go", 14, 0)], tmp_path / "walk.csv")
    yard = Yard([Enemy((13.0, 0.5), hp=1000.0, speed=0.0)])
    agent = replay(yard, demo, GUN)
    assert agent.report.finished, agent.failure


class Wounded(Field):
    columns = {**COLUMNS, "hp": float}

    def __init__(self, hp):
        super().__init__([Area("a", items=[("herb", 6.0, 5.0), ("coin", 8.0, 5.0)])])
        self.hp = hp

    def observe(self):
        seen = super().observe()
        return msgspec.structs.replace(seen, extras={**seen.extras, "hp": self.hp})


def test_a_wounded_player_goes_farther_for_what_heals(tmp_path):
    demo = record(Wounded(100.0), [("go", 14, 0)], tmp_path / "walk.csv")
    heals = settings_of(
        "items: {range: 2.0, healing: {labels: [herb], column: hp, below: 50.0, range: 6.0}}"
    )
    for hp, left in ((80.0, ["herb", "coin"]), (30.0, ["coin"])):
        field = Wounded(hp)
        agent = replay(field, demo, heals)
        assert agent.report.finished, agent.failure
        assert [label for label, _, _ in field.area.items] == left
