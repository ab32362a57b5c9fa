"""The hover card of the world: what is under the mouse, who drew it, and from which line."""

from ...reader.frame_snapshot import FrameSnapshot
from ...scene.drawing_renderer import DrawingPainter
from ...scene.drawing_shapes import Source
from ...scene.scene_model import SceneModel
from ...scene.view_camera import CameraProjection
from ...toolkit import palette
from ...toolkit.qt import QPainter, QPointF, QRectF, Qt
from ...toolkit.source_location_text import source_location
from ...toolkit.theme import color, font, pen
from ...toolkit.value_text import short_number

_NEAR_LINE = 10.0
"""Pixels from a body's middle beyond which a line under the mouse is meant, not the body."""
_LINE = 17.0
_STAYS = 16.0
"""Pixels around a card over which the mouse may go to reach it."""


class HoveredThing:
    """What is under the mouse: an object, a drawing, or nothing."""

    def __init__(self, object: int = 0, drawing: Source | None = None) -> None:
        self.object = object
        self.drawing = drawing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HoveredThing) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.object, self.drawing))

    def __bool__(self) -> bool:
        return bool(self.object) or self.drawing is not None


def find(
    scene: SceneModel,
    view: CameraProjection,
    painter: DrawingPainter | None,
    body: tuple[int, float],
    at: QPointF,
    *,
    drawings_first: bool,
) -> HoveredThing:
    """What is meant by a pixel.

    Args:
        painter: Painted the drawings; None if none are shown.
        body: The object that is near, 0 for none, and how far its middle is, in pixels.
        drawings_first: Whether a drawing counts before a body that is near.
    """
    object, away = body
    drawing = None
    if painter is not None and (drawings_first or not object or away > _NEAR_LINE):
        drawing = painter.at(at.x(), at.y(), scene.shapes, view)
    return HoveredThing(0, drawing) if drawing is not None else HoveredThing(object)


class HoverCard:
    """Stays where it came up for as long as the same thing is meant, so that it can be clicked."""

    def __init__(self) -> None:
        self.found = HoveredThing()
        self.lines: list[str] = []
        self.box = QRectF()
        self.file, self.line = "", 0
        """Where the drawing was drawn from; empty for an object."""
        self.snapshot: FrameSnapshot | None = None
        """The frame that it is about."""

    def holds(self, at: QPointF) -> bool:
        """Whether a pixel belongs to a card that can be clicked, or lies on the way to it."""
        around = self.box.adjusted(-_STAYS, -_STAYS, _STAYS, _STAYS)
        return bool(self.file) and around.contains(at)

    def clear(self) -> None:
        """Show none."""
        self.found, self.lines, self.file = HoveredThing(), [], ""
        self.snapshot = None

    def tell(self, found: HoveredThing, scene: SceneModel, at: QPointF, room: QRectF) -> None:
        """Show what was found, beside the mouse."""
        self.clear()
        self.found, self.snapshot = found, scene.snapshot
        if found.object:
            self.lines = _object_lines(scene, found.object)
        elif found.drawing is not None:
            self._tell_drawing(scene, found.drawing)
        wide = 30.0 + 6.9 * max(map(len, self.lines), default=0)
        high = 12.0 + _LINE * len(self.lines)
        x = min(at.x() + 14, room.right() - wide - 6)
        below = at.y() + 14 + high < room.bottom()
        self.box = QRectF(max(6.0, x), at.y() + 14 if below else at.y() - high - 10, wide, high)

    def _tell_drawing(self, scene: SceneModel, source: Source) -> None:
        drawn = scene.drawn(*source)
        bits = scene.snapshot.channels.items()
        channels = [name for bit, name in bits if drawn.channels & bit]
        what = drawn.kind + (f" · {', '.join(channels)}" if channels else "")
        name = f"latched as {drawn.latched}" if drawn.latched else ""
        self.lines = [what, f"drawn by {scene.label(drawn.object)}"]
        if "text" in drawn.values:
            self.lines.append(f"“{drawn.values['text']}”")
        self.lines += [name] if name else []
        if drawn.file:
            self.file, self.line = drawn.file, drawn.line
            self.lines.append(f"{source_location(drawn.file, drawn.line)} — click opens it")

    def paint(self, painter: QPainter) -> None:
        """Draw it over everything."""
        if not self.lines:
            return
        painter.setPen(pen(palette.OUTLINE))
        painter.setBrush(color(palette.CARD, 245))
        painter.drawRoundedRect(self.box, 4, 4)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        area = self.box.adjusted(10, 5, -8, 0)
        for number, text in enumerate(self.lines):
            is_link = bool(self.file) and number == len(self.lines) - 1
            name = palette.ACCENT if is_link else palette.DIM if number else palette.TEXT
            painter.setFont(font(12, bold=number == 0))
            painter.setPen(pen(name))
            row = QRectF(area.left(), area.top() + number * _LINE, area.width(), _LINE)
            painter.drawText(row, Qt.AlignmentFlag.AlignVCenter, text)


def _object_lines(scene: SceneModel, object: int) -> list[str]:
    seen = scene.snapshot.objects.get(object)
    if seen is None:
        return []
    packet, state = seen.packet, scene.snapshot.state_of(object)
    area = "  ".join(short_number(part) for part in packet.position)
    return [
        seen.name,
        *filter(None, [scene.snapshot.paths.get(object)]),
        f"{packet.type} · id {packet.id}" + (f" · {state}" if state else ""),
        f"at {area} {scene.snapshot.conventions.unit}",
    ]
