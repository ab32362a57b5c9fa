"""A person's animation tree: which clips make up the pose, each by how much, and why.

`walk_at` says how far each clip of the walk counts, for many people in one go, and `gait` poses
them by that. The trees that are recorded hold these very numbers.
"""

import math
from typing import NamedTuple

import numpy as np

from ....recorder.packets.trace_types import AnimationClip
from ....recorder.statements.instrumentation_interface import Instrumentation
from ..entity import Character
from .walk_animation import Floats, WalkAnimation

TREE = "body"
WALKING, RUNNING = 2.0, 4.0
"""Metres a second that the clips were made for: who is faster or slower plays them so."""

_IDLE = f"below {WALKING:g} m/s"
_WALK = f"0 … {RUNNING:g} m/s, full at {WALKING:g}"
_RUN = f"above {WALKING:g} m/s, full at {RUNNING:g}"


class Weights(NamedTuple):
    """How far one person's clips count in its pose, each 0 … 1."""

    idle: float
    walk: float
    run: float
    slump: float


def walk_at(speed: Floats) -> WalkAnimation:
    """The clips of the walk at speeds (n,) in m/s: from idle over walk to run."""
    # Twice a float and these differences are exact: the stride is this very number again.
    twice = 2.0 * np.minimum(speed / RUNNING, 1.0)
    return WalkAnimation(
        np.maximum(1.0 - twice, 0.0), np.minimum(twice, 2.0 - twice), np.maximum(twice - 1.0, 0.0)
    )


def tree_of(walker: Character, weights: Weights) -> tuple[AnimationClip, ...]:
    """The animation tree of a person who is posed by these weights.

    The walk's clips make up 1; a raised arm and lying down are laid over them.
    """
    why, speed, time = walker.why, walker.speed, walker.phase / math.tau
    clips = (
        AnimationClip("body", 1.0),
        AnimationClip("legs", 1.0, criteria=f"{speed:.1f} m/s; {why.legs}", parent=0),
        AnimationClip("idle", weights.idle, 0.0, 0.0, _IDLE, 1),
        AnimationClip("walk", weights.walk, speed / WALKING, time, _WALK, 1),
        AnimationClip("run", weights.run, speed / RUNNING, time, _RUN, 1),
        AnimationClip(why.arm, walker.lift, 1.0, 1.0 - walker.lift, why.raised, 0),
    )
    if not why.lies:
        return clips
    return (*clips, AnimationClip("lie", weights.slump, 1.0, why.lain, why.lies, 0))


class AnimationTreeWriter:
    """Writes characters' animation trees to a recorder, each in the frames in which it changes."""

    def __init__(self) -> None:
        self._last: dict[int, tuple[AnimationClip, ...]] = {}

    def write(self, instruments: Instrumentation, walker: Character, weights: Weights) -> None:
        """Write one character's tree, unless it is the same as the last one written."""
        clips = tree_of(walker, weights)
        if self._last.get(walker.id) != clips:
            self._last[walker.id] = clips
            instruments.trace.animation(walker.id, TREE, clips)
