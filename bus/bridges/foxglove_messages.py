"""Foxglove's messages as plain values, with their schemas.

They are JSON, so no package of Foxglove's is needed.
"""

import base64
import json
import math
from typing import Any, TypeAlias

import numpy as np

from ...recorder.reading.axis_conversion import Array, quaternion
from ...recorder.statements.statement_messages import Picture
from .frame_view import Color, Figure, FrameView, Label, SolidShape, StatementsView, Stroke

Message: TypeAlias = dict[str, Any]

WORLD = "world"
"""The coordinate frame that everything is in."""
_STRIP, _LOOP, _LIST = 0, 1, 2
_ALL = 1
_LEVELS = {"debug": 1, "info": 2, "warning": 3, "error": 4}


def scene_update(view: FrameView, nanos: int) -> Message:
    """A `foxglove.SceneUpdate` that leaves nothing of what was there before.

    What has no position, because one of its numbers is not finite, is left out.
    """
    at = timestamp(nanos)
    drawn = _entity(at, "drawn")
    drawn["lines"] = [_line(stroke) for stroke in view.strokes if _finite(stroke.points)]
    for name, blocks in (("cubes", view.boxes), ("spheres", view.spheres)):
        drawn[name] = [_block(one) for one in blocks if _finite(one.position, one.size, one.turn)]
    drawn["texts"] = [_text(label) for label in view.labels if _finite(label.position)]
    figures = [
        _figure(figure, at)
        for figure in view.figures
        if figure.visible and _finite(figure.position, figure.turn)
    ]
    return {
        "deletions": [{"timestamp": at, "type": _ALL, "id": ""}],
        "entities": [*figures, drawn],
    }


def log(statement: StatementsView, nanos: int) -> Message:
    """A `foxglove.Log`."""
    return {
        "timestamp": timestamp(nanos), "level": _LEVELS.get(statement.level, 2),
        "message": statement.text, "name": statement.about, "file": statement.file,
        "line": max(statement.line, 0),
    }  # fmt: skip


def compressed_image(picture: Picture, nanos: int) -> Message:
    """A `foxglove.CompressedImage`, whose data is base64 in JSON."""
    return {
        "timestamp": timestamp(nanos), "frame_id": picture.name,
        "data": base64.b64encode(picture.data).decode(), "format": picture.format,
    }  # fmt: skip


def picture_topic(name: str) -> str:
    """The topic of a camera's pictures."""
    return f"/pictures/{name}"


def timestamp(nanos: int) -> Message:
    return {"sec": nanos // 10**9, "nsec": nanos % 10**9}


def _entity(at: Message, id: str) -> Message:
    return {
        "timestamp": at, "frame_id": WORLD, "id": id, "lifetime": {"sec": 0, "nsec": 0},
        "frame_locked": False, "metadata": [], "arrows": [], "cubes": [], "spheres": [],
        "cylinders": [], "lines": [], "triangles": [], "texts": [], "models": [],
    }  # fmt: skip


def _figure(figure: Figure, at: Message) -> Message:
    values = {"id": str(figure.id), "type": figure.type}
    values.update((name, f"{value:g}") for name, value in figure.values.items())
    entity = _entity(at, figure.label)
    entity["metadata"] = [{"key": key, "value": value} for key, value in values.items()]
    entity["arrows"] = [{
        "pose": _pose(figure.position, figure.turn), "shaft_length": 0.5, "shaft_diameter": 0.06,
        "head_length": 0.2, "head_diameter": 0.14, "color": _color(figure.color),
    }]  # fmt: skip
    entity["texts"] = [_text(Label(figure.position, figure.label, figure.color))]
    if len(figure.bones) and _finite(figure.bones):
        points = figure.bones.reshape(-1, 3)
        entity["lines"] = [_line(Stroke(points, figure.color, pairs=True))]
    return entity


def _line(stroke: Stroke) -> Message:
    return {
        "type": _LIST if stroke.pairs else _LOOP if stroke.closed else _STRIP,
        "pose": _pose(np.zeros(3), None), "thickness": 2.0, "scale_invariant": True,
        "points": [_vector(point) for point in stroke.points], "color": _color(stroke.color),
        "colors": [], "indices": [],
    }  # fmt: skip


def _block(block: SolidShape) -> Message:
    return {
        "pose": _pose(block.position, block.turn), "size": _vector(block.size),
        "color": _color(block.color),
    }  # fmt: skip


def _text(label: Label) -> Message:
    return {
        "pose": _pose(label.position, None), "billboard": True, "font_size": 12.0,
        "scale_invariant": True, "color": _color(label.color), "text": label.text,
    }  # fmt: skip


def _pose(position: Array, turn: Array | None) -> Message:
    x, y, z, w = (0.0, 0.0, 0.0, 1.0) if turn is None else quaternion(turn)
    return {"position": _vector(position), "orientation": {"x": x, "y": y, "z": z, "w": w}}


def _vector(point: Array) -> Message:
    x, y, z = point.tolist()
    return {"x": x, "y": y, "z": z}


def _color(color: Color) -> Message:
    return {name: part / 255 for name, part in zip("rgba", color, strict=True)}


def _finite(*arrays: Array) -> bool:
    return all(math.isfinite(float(array.sum())) for array in arrays)


# --- schemas ----------------------------------------------------------------------------------

_NUMBER: Message = {"type": "number"}
_TEXT: Message = {"type": "string"}
_FLAG: Message = {"type": "boolean"}
_COUNT: Message = {"type": "integer", "minimum": 0}


def _struct(title: str, **fields: Message) -> Message:
    return {"title": title, "type": "object", "properties": fields, "required": list(fields)}


def _many(item: Message) -> Message:
    return {"type": "array", "items": item}


def _xyz(title: str) -> Message:
    return _struct(title, x=_NUMBER, y=_NUMBER, z=_NUMBER)


_TIME = _struct("time", sec=_COUNT, nsec=_COUNT)
_DURATION = _struct("duration", sec={"type": "integer"}, nsec=_COUNT)
_COLOR = _struct("foxglove.Color", r=_NUMBER, g=_NUMBER, b=_NUMBER, a=_NUMBER)
_POSE = _struct(
    "foxglove.Pose",
    position=_xyz("foxglove.Vector3"),
    orientation=_struct("foxglove.Quaternion", x=_NUMBER, y=_NUMBER, z=_NUMBER, w=_NUMBER),
)
_SOLID = {"pose": _POSE, "size": _xyz("foxglove.Vector3"), "color": _COLOR}
_ANYTHING = {"type": "object"}
_ENTITY = _struct(
    "foxglove.SceneEntity",
    timestamp=_TIME,
    frame_id=_TEXT,
    id=_TEXT,
    lifetime=_DURATION,
    frame_locked=_FLAG,
    metadata=_many(_struct("foxglove.KeyValuePair", key=_TEXT, value=_TEXT)),
    arrows=_many(
        _struct(
            "foxglove.ArrowPrimitive",
            pose=_POSE, shaft_length=_NUMBER, shaft_diameter=_NUMBER, head_length=_NUMBER,
            head_diameter=_NUMBER, color=_COLOR,
        )
    ),
    cubes=_many(_struct("foxglove.CubePrimitive", **_SOLID)),
    spheres=_many(_struct("foxglove.SpherePrimitive", **_SOLID)),
    cylinders=_many(_ANYTHING),
    lines=_many(
        _struct(
            "foxglove.LinePrimitive",
            type=_COUNT, pose=_POSE, thickness=_NUMBER, scale_invariant=_FLAG,
            points=_many(_xyz("foxglove.Point3")), color=_COLOR, colors=_many(_COLOR),
            indices=_many(_COUNT),
        )
    ),
    triangles=_many(_ANYTHING),
    texts=_many(
        _struct(
            "foxglove.TextPrimitive",
            pose=_POSE, billboard=_FLAG, font_size=_NUMBER, scale_invariant=_FLAG, color=_COLOR,
            text=_TEXT,
        )
    ),
    models=_many(_ANYTHING),
)  # fmt: skip
SCENE_UPDATE = "foxglove.SceneUpdate"
LOG = "foxglove.Log"
COMPRESSED_IMAGE = "foxglove.CompressedImage"
VALUES = "playhead.Values"
_SCHEMAS = {
    COMPRESSED_IMAGE: _struct(
        COMPRESSED_IMAGE,
        timestamp=_TIME,
        frame_id=_TEXT,
        data={"type": "string", "contentEncoding": "base64"},
        format=_TEXT,
    ),
    SCENE_UPDATE: _struct(
        SCENE_UPDATE,
        deletions=_many(
            _struct("foxglove.SceneEntityDeletion", timestamp=_TIME, type=_COUNT, id=_TEXT)
        ),
        entities=_many(_ENTITY),
    ),
    LOG: _struct(
        LOG, timestamp=_TIME, level=_COUNT, message=_TEXT, name=_TEXT, file=_TEXT, line=_COUNT
    ),
    VALUES: {
        "title": VALUES,
        "type": "object",
        "additionalProperties": {"type": "object", "additionalProperties": _NUMBER},
    },
}


def schema(name: str) -> bytes:
    """The JSON schema of a message: of a kind of Foxglove's as much as is written here."""
    return json.dumps(_SCHEMAS[name], separators=(",", ":")).encode()
