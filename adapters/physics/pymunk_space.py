"""A space of pymunk: its bodies as objects, its shapes as drawings. Imports pymunk."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pymunk

from ...recorder.statements.draw_calls import Draw
from .recorded_simulation import IdOf, Simulation

CHANNEL = "shapes"
_STATIC = "static shapes"
_TURNS = np.linspace(0, 2 * np.pi, 17)[:-1]
_CIRCLE = np.stack([np.cos(_TURNS), np.sin(_TURNS)], axis=1)
"""Corners of a circle round 0."""
_GREY = (150, 156, 166)


class PymunkSpace(Simulation):
    """The bodies of a space, and its shapes.

    In playback positions, angles and velocities are set. That is exact both ways, with two
    exceptions, which are not set at all: setting a body wakes those that sleep, so a space with a
    finite `sleep_time_threshold`; and bodies whose centre of gravity is not their position.
    """

    kinds = (pymunk.Body,)

    def __init__(self, space: pymunk.Space) -> None:
        self.thing = space
        self._static: Any = None
        """What was drawn of shapes that do not move."""
        if math.isfinite(space.sleep_time_threshold):
            self.inexact = "its bodies can fall asleep, and setting them would wake them"
        elif any(body.center_of_gravity != (0, 0) for body in space.bodies):
            self.inexact = "the centre of gravity of a body is not its position"

    def objects(self) -> Sequence[pymunk.Body]:
        return list(self.thing.bodies)

    def draw(self, draw: Draw, id_of: IdOf) -> None:
        resting: list[Any] = []
        for shape in self.thing.shapes:
            if shape.body is None:
                continue
            if shape.body.body_type == pymunk.Body.STATIC:
                resting.append(_outline(shape))
            else:
                _draw_moving(draw, shape, id_of(shape.body) or 0)
        lines = np.concatenate(resting) if resting else np.zeros((0, 2, 2))
        if self._static is None or not np.array_equal(lines, self._static):
            if len(lines) or self._static is not None:
                draw.lines(lines, color=_GREY, channel=CHANNEL, latch=_STATIC)
            self._static = lines


def _draw_moving(draw: Draw, shape: Any, id: int) -> None:
    color = _color(shape)
    body: Any = shape.body
    if isinstance(shape, pymunk.Circle):
        # A spoke shows how it is turned. A sphere would not lie in the plane.
        center = [shape.offset]
        rim = _in_world(body, np.array(shape.offset) + shape.radius * _CIRCLE)
        draw.polygon(rim, color=color, object=id, channel=CHANNEL)
        draw.line(_in_world(body, center)[0], rim[0], color=color, object=id, channel=CHANNEL)
    elif isinstance(shape, pymunk.Segment):
        draw.line(*_in_world(body, [shape.a, shape.b]), color=color, object=id, channel=CHANNEL)
    else:
        draw.polygon(_in_world(body, shape.get_vertices()), color=color, object=id, channel=CHANNEL)


def _outline(shape: Any) -> Any:
    """The lines of a shape, (n, 2, 2)."""
    if isinstance(shape, pymunk.Segment):
        points = np.array([shape.a, shape.b])
        return _in_world(shape.body, points)[None]
    if isinstance(shape, pymunk.Circle):
        points = np.array(shape.offset) + shape.radius * _CIRCLE
    else:
        points = np.array(shape.get_vertices())
    corners = _in_world(shape.body, points)
    return np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)


def _in_world(body: Any, points: Any) -> Any:
    """Points of a body, (n, 2), in the world."""
    cos, sin = body.rotation_vector
    return np.asarray(points) @ np.array([[cos, sin], [-sin, cos]]) + body.position


def _color(shape: Any) -> Any:
    """A shape's own colour, which pymunk's debug drawing also takes."""
    color = getattr(shape, "color", None)
    return _GREY if color is None else tuple(int(part) for part in tuple(color)[:4])
