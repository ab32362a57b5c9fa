"""Debug drawings and watches of an adventure: heights, doors, enemies' states, dialogue."""

import math

import numpy as np

from ....recorder.statements.instrumentation_interface import Color, Draw, Instrumentation
from ..animation.animation_tree import AnimationTreeWriter, Weights
from .adventure_state import AdventureState
from .world.enemy import HALF_CONE, SIGHT, Enemy
from .world.enemy_fsm import EnemyState
from .world.level import GROUND, Area, Zone
from .world.terrain import Lines, box_lines

AI, SCRIPT = "ai", "script"
WALL: Color = (150, 150, 160)
LOW, HIGH = (70, 120, 90), (200, 235, 150)
"""What floors are drawn in, at the ground and `TALL` metres above it."""
TALL = 3.0
PIT: Color = (70, 110, 190)
LAVA: Color = (240, 90, 30)
DOOR: Color = (170, 110, 60)
EXIT: Color = (80, 150, 230, 70)
FIELD: Color = (200, 60, 90, 40)
SPOKEN: Color = (255, 240, 190)
COLORS: dict[str, Color] = {
    "item": (250, 215, 70), "switch": (80, 200, 220), "shrine": (200, 150, 255),
    "boulder": (130, 115, 100), "target": (255, 90, 60), "sign": (190, 160, 110),
}  # fmt: skip
STATE_COLORS: dict[EnemyState, Color] = {
    EnemyState.WANDER: (120, 200, 120),
    EnemyState.CHASE: (255, 150, 50),
    EnemyState.STRIKE: (255, 60, 60),
    EnemyState.BREATHE: (240, 220, 80),
    EnemyState.REEL: (200, 120, 255),
}
_FAN = np.linspace(-HALF_CONE, HALF_CONE, 7)


class AdventureDrawing:
    """Draws an adventure each step; what doesn't move only when it has changed."""

    def __init__(self) -> None:
        self._area = ""
        self._latched: set[str] = set()
        self._doors: dict[str, str] = {}

    def draw(
        self, adventure: AdventureState, instruments: Instrumentation,
        animations: AnimationTreeWriter,
    ) -> None:  # fmt: skip
        """Draw and watch the state after a step."""
        draw, player, area_state = instruments.draw, adventure.player, adventure.area_state
        if self._area != area_state.area.name:
            self._area = area_state.area.name
            self._draw_area(draw, area_state.area)
            self._doors = {}
        self._draw_doors(draw, adventure)
        for device in area_state.devices:
            self._draw_prop(draw, device.type, device.position, device.radius, device.id)
        for treasure in area_state.treasures:
            self._draw_prop(draw, "item", treasure.position, 0.2, treasure.id)
        for enemy in area_state.all_enemies:
            draw_enemy(draw, enemy)
            instruments.watch("health", enemy.hp, object=enemy.id)
        height = 0.5 if player.dead else 1.8
        draw.box(
            (player.x, player.y, player.z + height / 2), (0.7, 0.7, height),
            angles=(0.0, 0.0, player.facing), color=(120, 230, 140), object=player.id, channel=AI,
        )  # fmt: skip
        self._draw_speech(draw, adventure)
        instruments.watch("health", player.hp, object=player.id)
        instruments.watch("height", player.z, object=player.id)
        instruments.watch("speed", player.speed, object=player.id)
        instruments.watch("jumps", player.jumps, object=player.id)
        instruments.watch("aiming", player.aiming, object=player.id)
        instruments.watch("special", player.can_special, object=player.id)
        instruments.watch("coins", adventure.coins, object=player.id)
        weights = zip(*(column.tolist() for column in adventure.posed), strict=True)
        for walker, posed in zip((player, *area_state.all_enemies), weights, strict=False):
            animations.write(instruments, walker, Weights(*posed))
        self._check(adventure, instruments)

    def _draw_area(self, draw: Draw, area: Area) -> None:
        before, self._latched = self._latched, set()

        def surface(name: str, zone: Zone, z: float, color: Color) -> None:
            self._latched.add(name)
            (x, y), (w, h) = zone.at, (zone.size[0] / 2, zone.size[1] / 2)
            draw.polygon(
                [(x - w, y - h, z), (x + w, y - h, z), (x + w, y + h, z), (x - w, y + h, z)],
                color=color, latch=name,
            )  # fmt: skip

        def edges(name: str, parts: list[Lines], color: Color) -> None:
            self._latched.add(name)
            lines = np.concatenate(parts) if parts else np.zeros((0, 2, 3), np.float32)
            draw.lines(lines, color=color, latch=name)

        def block(name: str, zone: Zone, top: float, color: Color) -> None:
            self._latched.add(name)
            size = (*zone.size, top - GROUND)
            draw.box((*zone.at, (GROUND + top) / 2), size, color=color, latch=name)

        edges("fence", [box_lines(Zone((0.0, 0.0), area.size), GROUND, GROUND)], WALL)
        for number, wall in enumerate(area.walls):
            block(f"wall {number}", wall, wall.top, WALL)
        for number, pit in enumerate(area.pits):
            color, apart = (LAVA, 0.3) if pit.lava else (PIT, 1.0)
            sides = box_lines(pit, -pit.depth, GROUND)
            edges(f"pit {number}", [sides, hatching(pit, -pit.depth, apart)], color)
        for number, floor in enumerate(area.floors):
            block(f"floor {number}", floor, floor.top, shade(floor.top))
        for number, way in enumerate(area.exits):
            z = area.surface(*way.zone.at)
            surface(f"exit {number}", way.zone, z + 0.02, EXIT)
            draw.text((*way.zone.at, z + 0.3), f"to {way.to}", latch=f"way {number}")
            self._latched.add(f"way {number}")
        if area.boss is not None:
            surface("field", area.boss.field, 0.02, FIELD)
        for name in sorted(before - self._latched):
            draw.lines(np.zeros((0, 2, 3), np.float32), latch=name)

    def _draw_doors(self, draw: Draw, adventure: AdventureState) -> None:
        for number, gate in enumerate(adventure.area_state.gates):
            name = f"door {number}"
            if self._doors.get(name) == gate.state:
                continue
            self._doors[name] = gate.state
            self._latched.add(name)
            (x, y), (w, h) = gate.at, gate.door.size
            if gate.state == "closed":
                high = gate.door.height
                draw.box((x, y, high / 2), (w, h, high), color=DOOR, latch=name)
            else:
                draw.lines(box_lines(gate.door, 0.0, 0.05), color=DOOR, latch=name)

    def _draw_prop(
        self, draw: Draw, type: str, at: tuple[float, float, float], radius: float, id: int
    ) -> None:
        x, y, z = at
        color = COLORS[type]
        if type in ("item", "target"):
            draw.sphere((x, y, z + 0.4), 0.25, color=color, object=id, channel=SCRIPT)
        else:
            high = 2.0 if type == "boulder" else 1.2
            draw.box(
                (x, y, z + high / 2), (2 * radius, 2 * radius, high), color=color, object=id,
                channel=SCRIPT,
            )  # fmt: skip

    def _draw_speech(self, draw: Draw, adventure: AdventureState) -> None:
        """The text of the upper window, over the character that says it."""
        player, talk = adventure.player, adventure.talk
        above = (player.x, player.y, player.z + 2.6)
        if adventure.menus:
            menu = adventure.menus[-1]
            text = f"[{menu.screen}] {menu.title}" + (f": {menu.selected}" if menu.selected else "")
            draw.text(above, text, color=SPOKEN, object=player.id, channel=SCRIPT)
        elif talk is not None and talk.window:
            speaker = adventure.find(talk.speaker)
            x, y, z = speaker.view.position if speaker is not None else player.view.position
            selected = f": {adventure.selected}" if adventure.selected else ""
            draw.text(
                (x, y, z + 2.4), talk.text + selected, color=SPOKEN, object=talk.speaker,
                channel=SCRIPT,
            )  # fmt: skip

    def _check(self, adventure: AdventureState, instruments: Instrumentation) -> None:
        width, depth = (side / 2 for side in adventure.area_state.area.size)
        lost = [
            walker.id for walker in (adventure.player, *adventure.area_state.all_enemies)
            # Asked this way around, a position that is no number is outside too.
            if not (abs(walker.x) <= width and abs(walker.y) <= depth)
        ]  # fmt: skip
        instruments.check(
            not lost, "everybody stays within the fence", focus=lost[0] if lost else 0
        )


def shade(height: float) -> Color:
    """What a floor at this height is drawn in: the higher, the brighter."""
    share = min(max(height / TALL, 0.0), 1.0)
    red, green, blue = (round(a + share * (b - a)) for a, b in zip(LOW, HIGH, strict=True))
    return red, green, blue


def hatching(zone: Zone, z: float, apart: float) -> Lines:
    """Lines (n, 2, 3) over a zone at a height, so many metres apart, across its longer side."""
    (x, y), (w, h) = zone.at, zone.size
    along, side = (0, w) if w >= h else (1, h)
    lines = np.zeros((max(0, math.ceil(side / apart) - 1), 2, 3), np.float32)
    lines[:, :, along] = (np.arange(1, len(lines) + 1) * apart - side / 2)[:, None]
    lines[:, :, 1 - along] = (-min(w, h) / 2, min(w, h) / 2)
    return lines + np.array([x, y, z], np.float32)


def draw_enemy(draw: Draw, enemy: Enemy) -> None:
    """An enemy's cone of sight, where it wants to go, and its mood."""
    id, x, y, z = enemy.id, enemy.x, enemy.y, enemy.z
    color = STATE_COLORS[enemy.state]
    angles = (_FAN + enemy.facing).tolist()
    cone = [(x, y, z)]
    cone += [(x + SIGHT * math.cos(a), y + SIGHT * math.sin(a), z) for a in angles]
    draw.polygon(cone, color=(*color[:3], 50), object=id, channel=AI)
    goal = enemy.goal if enemy.state is EnemyState.WANDER or enemy.belief is None else enemy.belief
    draw.line((x, y, z + 0.05), (*goal, z + 0.05), color=(90, 170, 255), object=id, channel=AI)
    draw.text((x, y, z + 2.1), enemy.state.value, color=color, object=id, channel=AI)
