"""Fights near what may harm the player or flies at it, and items that a wounded player fetches."""

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
                barrel = math.atan2(BARREL[1] - self.y, BARREL[0] - self.x) - self.facing
                self.shot_from.append(math.dist((self.x, self.y), BARREL))
                self.beside.append(abs(math.remainder(barrel, math.tau)))

    def __init__(self, enemies):
        super().__init__([Area("a", enemies=enemies)])
        self.shot_from, self.beside = [], []
        """For each shot, how far from the barrel, and by how many radians it passed that."""

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


def test_no_shot_goes_past_what_may_harm_it_at_once(tmp_path):
    demo = record(Field([Area("a")]), [("go", 14, 0)], tmp_path / "walk.csv")
    yard = Yard([Enemy((13.0, 0.5), hp=1000.0, speed=0.0)])
    yard.x, yard.y = yard.start = 4.0, 1.2  # the barrel is in the line of fire, and nowhere to go
    agent = replay(yard, demo, GUN)
    assert agent.report.finished, agent.failure
    shots = zip(yard.shot_from, yard.beside, strict=True)
    near = [beside for away, beside in shots if away < NEAR - 0.1]
    assert near
    assert min(near) > 0.25


class Range(Field):
    """An enemy throws something slow at where the player is, again and again."""

    SPEED, HIT = 9.0, 0.6

    def __init__(self):
        super().__init__([Area("a", enemies=[Enemy((13.0, 0.0), hp=9.0, speed=0.0)])])
        self.missile = None
        self.struck = 0

    def step(self, pad):
        shoots = pad.held & ~self.before
        super().step(pad)
        for enemy in self.area.enemies if shoots else ():
            enemy.hp -= 1.0
        if self.area.enemies and self.missile is None and self.x > 3.9:  # the fight is on
            angle = math.atan2(self.y, self.x - 13.0)
            self.missile = [13.0, 0.0, self.SPEED * math.cos(angle), self.SPEED * math.sin(angle)]
        if self.missile is not None:
            x, y, vx, vy = self.missile
            self.missile[:2] = x + vx / 30, y + vy / 30
            if math.dist((x, y), (self.x, self.y)) < self.HIT:
                self.struck += 1
                self.missile = None
            elif x < -2.0 or not self.area.enemies:
                self.missile = None

    def observe(self):
        if self.missile is None:
            return super().observe()
        x, y, vx, vy = self.missile
        flies = ObservedEntity("fireball", (x, y, 0.0), velocity=(vx, vy, 0.0))
        return msgspec.structs.replace(super().observe(), dangers=(flies,))


ARCHER = "enemies: {{range: 9.0, attack: 14.0, close: 14.0, period: 12, dodge: {dodge}}}"


def struck(tmp_path, dodge, **more):
    demo = record(Field([Area("a")]), [("go", 14, 0)], tmp_path / f"walk{dodge}.csv")
    field = Range()
    agent = replay(field, demo, settings_of(ARCHER.format(dodge=dodge)), **more)
    assert agent.report.finished, agent.failure
    assert not field.area.enemies
    return field.struck


def test_it_steps_aside_from_what_flies_at_it_and_shoots_on(tmp_path):
    def find_path(start, goal, near):
        return [goal]

    assert struck(tmp_path, 0.0, find_path=find_path) >= 2
    assert struck(tmp_path, 0.8, find_path=find_path) == 0


def test_it_steps_only_where_the_game_knows_a_straight_way(tmp_path):
    asked = []

    def ledge(start, goal, near):
        asked.append(goal[1] - start[1])
        return [goal] if goal[1] >= -0.1 else []

    assert struck(tmp_path, 0.8, find_path=ledge) == 0
    assert max(asked) > 0.5
    assert min(asked) < -0.5
    assert struck(tmp_path, 0.81) >= 2  # a game that says nothing of where one can stand


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
