"""The state of the present area: its terrain, people, enemies, props and items."""

import math
import struct
from collections.abc import Callable
from random import Random

from ...entity import Entity, distance, pack_count, pack_text
from ...yaml_nodes import Point
from .enemy import Enemy, place_in
from .level import Area, Boss, Spawner, Zone
from .props import SPEAKING, Device, Gate, Prop, Speaker, Treasure
from .story_progress import StoryProgress
from .terrain import Terrain

AWAY = 4.0
"""Metres from the player at which enemies come up at least."""
TRIES = 20
BODY = 0.5
"""Metres around a position that must be flat for an enemy to appear there."""

HIGHEST = 2.0
"""Metres above the middle of its zone at which an enemy appears at most: a player could not
reach one on a pillar."""


class AreaState:
    """Created each time that an area is entered; lasting changes are in the story.

    Args:
        new_id: Gives ids that were never used.
        now: Game time, seconds.
    """

    def __init__(
        self, area: Area, story: StoryProgress, rng: Random, new_id: Callable[[], int], now: float
    ) -> None:
        self.area = area
        self.terrain = Terrain(area)
        self._new_id = new_id
        self._version = -1
        self.speakers = [Speaker(new_id(), t, area) for t in (*area.people, *area.signs)]
        for speaker in self.speakers:
            speaker.block(self.terrain, SPEAKING)
        self.gates = [Gate(new_id(), door) for door in area.doors]
        self.devices: list[Device] = []
        self.treasures: list[Treasure] = []
        for fixture in area.fixtures:
            spent = fixture.sets in story.flags
            if spent and fixture.kind in ("boulder", "target"):
                continue
            device = Device(new_id(), fixture, area)
            device.state = "on" if spent else "off"
            if device.radius > 0.0:
                device.block(self.terrain, device.radius)
            self.devices.append(device)
        self._items = {item.name: new_id() for item in area.items}
        """An item has its id also before it is there."""
        self.all_enemies: list[Enemy] = []
        self.coming: list[tuple[float, Spawner]] = []
        """Enemies to come up, and when (game time, seconds); the latest first."""
        for spawner in area.enemies:
            for _ in range(rng.randint(*spawner.count)):
                self.coming.append((now + rng.uniform(0.0, spawner.within), spawner))
        self.coming.sort(key=lambda entry: entry[0], reverse=True)
        if area.boss is not None and area.boss.sets not in story.flags:
            self._summon(area.boss, rng)

    @property
    def props(self) -> list[Prop]:
        return [*self.speakers, *self.gates, *self.devices, *self.treasures]

    @property
    def usable(self) -> list[Device]:
        """Switches and shrines."""
        return [device for device in self.devices if device.type in ("switch", "shrine")]

    @property
    def bosses(self) -> list[Enemy]:
        """The boss and its followers, those that are alive."""
        return [enemy for enemy in self.all_enemies if enemy.type != "enemy"]

    @property
    def enemies(self) -> list[Enemy]:
        """The ordinary ones, without bosses and followers."""
        return [enemy for enemy in self.all_enemies if enemy.type == "enemy"]

    @property
    def entities(self) -> list[Entity]:
        """All that is here, but for the player."""
        return [*self.props, *self.all_enemies]

    def apply_story(self, story: StoryProgress) -> None:
        """Open and close doors, and lay out items, as the story has them."""
        if story.version == self._version:
            return
        self._version = story.version
        for gate in self.gates:
            gate.state = "open" if story.meets(gate.door.needs) else "closed"
            if gate.state == "open":
                self.terrain.open(gate.door)
            else:
                self.terrain.close(gate.door)
        here = {treasure.name: treasure for treasure in self.treasures}
        self.treasures = [
            here.get(item.name) or Treasure(self._items[item.name], item, self.area)
            for item in self.area.items
            if story.lies(self.area.name, item.name) and story.meets(item.needs)
        ]

    def spawn(self, now: float, player: Point, rng: Random) -> list[Enemy]:
        """Enemies whose time has come."""
        come = []
        while self.coming and self.coming[-1][0] <= now:
            _, spawner = self.coming.pop()
            at = self._free(spawner.zone, player, rng)
            come.append(self._new_enemy(
                "enemy", spawner.label, at, rng.uniform(-math.pi, math.pi), spawner.hp,
                spawner.damage, spawner.zone,
            ))  # fmt: skip
        return come

    def remove(self, enemy: Enemy) -> None:
        """It is defeated."""
        self.all_enemies.remove(enemy)
        self.terrain.space.remove(enemy.body, enemy.shape)

    def drop(self, device: Device) -> None:
        """It is broken, or shot."""
        device.vanish(self.terrain)
        self.devices.remove(device)

    def pack(self) -> bytes:
        parts = [pack_text(self.area.name), pack_count(len(self.coming))]
        parts += [struct.pack("<d", when) + pack_text(who.label) for when, who in self.coming]
        return b"".join(parts)

    def _summon(self, boss: Boss, rng: Random) -> None:
        self._new_enemy("boss", boss.name, boss.at, -math.pi / 2, boss.hp, boss.damage, boss.field)
        for _ in range(boss.followers):
            at = self._free(boss.field, (math.inf, math.inf), rng)
            self._new_enemy(
                "follower", boss.label, at, rng.uniform(-math.pi, math.pi), 60.0, 5.0, boss.field
            )

    def _new_enemy(
        self, type: str, label: str, at: Point, facing: float, hp: float, damage: float, home: Zone
    ) -> Enemy:
        enemy = Enemy(self._new_id(), type, label, at, facing, hp, damage, home)
        self.terrain.space.add(enemy.body, enemy.shape)
        enemy.stand(at, self.terrain)
        self.all_enemies.append(enemy)
        return enemy

    def _free(self, zone: Zone, player: Point, rng: Random) -> Point:
        """A position in a zone where an enemy can appear; the zone's middle if none is found."""
        for _ in range(TRIES):
            x, y = place_in(zone, rng)
            around = [(x + BODY * dx, y + BODY * dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
            level = {self.area.surface(*point) for point in around}
            inside = all(abs((x, y)[a]) < self.area.size[a] / 2 - BODY for a in (0, 1))
            apart = all(distance((x, y), speaker.at) > 1.0 for speaker in self.speakers)
            high = max(level) - self.area.surface(*zone.at) > HIGHEST
            if (
                len(level) == 1
                and not high
                and inside
                and apart
                and distance((x, y), player) >= AWAY
            ):
                return x, y
        return zone.at
