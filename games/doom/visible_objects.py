"""The objects that a player of Doom can see: living monsters, and things worth taking."""

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..playable_interface import ObservedEntity, Vector
from .level_walk_grid import LevelWalkGrid
from .line_of_sight import EYES, MUZZLE, LineOfSight
from .scenario import TICS_PER_SECOND
from .tic_game import DoomGame
from .wad_map import WadMap

MONSTERS = ("Monster",)
ITEMS = ("Health", "Armor", "Ammo", "Weapon", "Key", "Powerup", "Artifact")
"""The engine's kinds; dead monsters are of another kind than living ones."""
FAR = 2000.0
"""Map units: monsters behind the player's back are looked for up to here."""
AT_HAND = 640.0
"""Things farther away are not looked at."""
EXPLOSIVE = "ExplosiveBarrel"
MISSILE = "Explosive"
"""The engine's kind for what flies and bursts: fireballs, rockets. Puffs and sparks, too."""
_DRIFTS = 2.0
"""Map units a tic: what is slower flies at nobody."""
_TALL, _FLAT = 56.0, 16.0
_BODY = 42.0
"""How much of a monster, from its feet up, a shot is aimed at."""

Numbers = Mapping[str, float]
"""The player's numbers, by the scenario's names."""

_USELESS: dict[str, Callable[[Numbers], bool]] = {
    "Stimpack": lambda own: own["health"] >= 100,
    "Medikit": lambda own: own["health"] >= 100,
    "HealthBonus": lambda own: own["health"] >= 200,
    "Soulsphere": lambda own: own["health"] >= 200,
    "GreenArmor": lambda own: own["armor"] >= 100,
    "BlueArmor": lambda own: own["armor"] >= 200,
    "ArmorBonus": lambda own: own["armor"] >= 200,
    "Clip": lambda own: own["bullets"] >= 200,
    "ClipBox": lambda own: own["bullets"] >= 200,
    "Chaingun": lambda own: own["bullets"] >= 200,
    "Shell": lambda own: own["shells"] >= 50,
    "ShellBox": lambda own: own["shells"] >= 50,
    "Shotgun": lambda own: own["shells"] >= 50,
}
"""When the engine leaves a thing lying although one walks over it."""


class PlayerView:
    """Looks around in a level.

    Seen is what is on the screen, and what there is a free line to: a monster behind the player.
    Lines know doors and lifts only as the level begins, the screen knows better.

    Args:
        level: The level that is played.
    """

    def __init__(self, level: WadMap) -> None:
        self._level = level
        self._sight = LineOfSight(level)
        self._fire = LineOfSight(level, level.shut())

    @cached_property
    def _ground(self) -> LevelWalkGrid:
        return LevelWalkGrid(self._level)

    def monsters(self, game: DoomGame, position: Vector) -> tuple[ObservedEntity, ...]:
        """The living monsters that the player sees so well that a shot can hit them.

        Over a sill or beside a corner a part may be seen of one that is safe from shots.
        """
        objects = game.objects
        rows = objects.of_kinds(*MONSTERS)
        rows = rows[self._seen(game, rows, position, FAR, _TALL)]
        muzzle = np.array((*position[:2], position[2] + MUZZLE))
        rows = rows[self._fire.clear(muzzle, objects.records["position"][rows], _BODY)]
        return tuple(self._thing(game, row) for row in rows.tolist())

    def dangers(self, game: DoomGame, position: Vector) -> tuple[ObservedEntity, ...]:
        """The barrels near the player, as a shot that hits one makes it explode; and what flies."""
        objects = game.objects
        if EXPLOSIVE in objects.names:
            barrels = objects.types == objects.names.index(EXPLOSIVE)
        else:
            barrels = np.zeros(len(objects), bool)
        speeds = np.abs(objects.records["velocity"][:, :2]).max(1, initial=0.0)
        flies = np.zeros(len(objects), bool)
        flies[objects.of_kinds(MISSILE)] = True
        rows = np.flatnonzero(barrels | (flies & (speeds > _DRIFTS)))
        away = objects.records["position"][rows, :2] - position[:2]
        rows = rows[np.hypot(away[:, 0], away[:, 1]) < AT_HAND]
        rows = rows[self._seen(game, rows, position, AT_HAND, _FLAT)]
        return tuple(self._thing(game, row, moves=bool(flies[row])) for row in rows.tolist())

    def items(self, game: DoomGame, position: Vector) -> tuple[ObservedEntity, ...]:
        """What lies near, is seen, can be walked to and back straight, and is of use just now."""
        objects = game.objects
        rows = objects.of_kinds(*ITEMS)
        away = objects.records["position"][rows, :2] - position[:2]
        rows = rows[np.hypot(away[:, 0], away[:, 1]) < AT_HAND]
        own = game.variables
        rows = rows[[not useless(objects.names[objects.types[row]], own) for row in rows]]
        rows = rows[self._seen(game, rows, position, AT_HAND, _FLAT)]
        things = (self._thing(game, row) for row in rows.tolist())
        return tuple(
            thing
            for thing in things
            if self._is_touched(thing)
            and self._ground.open_way(position, thing.position[:2], back=True)
        )

    def _is_touched(self, thing: ObservedEntity) -> bool:
        """Whether who walks over it is as high as it: it may lie below the edge one walks on."""
        x, y, z = thing.position
        feet = float(self._ground.floor[self._ground.cell(x, y)])
        return feet - _FLAT < z < feet + _TALL

    def _seen(
        self, game: DoomGame, rows: npt.NDArray[np.int_], position: Vector, far: float, tall: float
    ) -> npt.NDArray[np.bool_]:
        objects = game.objects
        on_screen = set(objects.seen.tolist())
        seen = np.array([id in on_screen for id in objects.ids[rows].tolist()], bool)
        there = objects.records["position"][rows]
        near = np.hypot(*(there[:, :2] - position[:2]).T) < far
        seen &= near
        left = np.flatnonzero(near & ~seen)
        eye = np.array((*position[:2], position[2] + EYES))
        seen[left] = self._sight.clear(eye, there[left], tall)
        return seen

    def _thing(self, game: DoomGame, row: int, *, moves: bool = False) -> ObservedEntity:
        objects = game.objects
        x, y, z = objects.records["position"][row].tolist()
        dx, dy, dz = (TICS_PER_SECOND * objects.records["velocity"][row]).tolist()
        return ObservedEntity(
            objects.names[objects.types[row]], (x, y, z), object=int(objects.ids[row]),
            velocity=(dx, dy, dz) if moves else (0.0, 0.0, 0.0),
        )  # fmt: skip


def useless(name: str, own: Numbers) -> bool:
    """Whether a thing would stay where it is although the player walks over it."""
    rule = _USELESS.get(name)
    try:
        return rule is not None and rule(own)
    except KeyError:  # the scenario does not read that number
        return False
