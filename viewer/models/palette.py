"""Colours: one meaning for each, states by their names, no Qt."""

import re
from collections.abc import Mapping
from functools import lru_cache
from zlib import crc32

GROUND = "#0d0f13"
PANEL = "#13161c"
HEADER = "#1a1e26"
RAISED = "#232833"
EDGE = "#2a303c"
TEXT = "#d7dce5"
DIM = "#8b94a5"
FAINT = "#566071"
PLAYHEAD = "#ff6b4a"
"""The playhead's, and nothing else's."""
SELECTED = "#ffffff"
ACCENT = "#4ea1ff"
OK = "#3fbf7f"
RUNNING = "#f2b53b"
FAILED = "#f2555a"
WARNING = "#e8a33d"
SKY = "#12151b"
"""What things far away fade into in the world."""

STATES = (
    "#4573b8", "#b8963a", "#c4733c", "#bd4a55", "#36908b", "#8468b8", "#c2578f", "#5f8f45",
    "#9a6a4f", "#4f7f9f",
)  # fmt: skip
"""Muted, so that white text reads on them."""
IDLE = "#4d5666"
HUES = dict(zip(
    ("Blue", "Ochre", "Orange", "Red", "Teal", "Violet", "Pink", "Green", "Brown", "Steel", "Grey"),
    (*STATES, IDLE), strict=True,
))  # fmt: skip
"""What a person may choose from, by words."""
SERIES = (
    "#4fb286", "#5b8def", "#e8894a", "#d9608c", "#9a7fe0", "#d8b545", "#3fb0bd", "#b07a55",
)  # fmt: skip
TYPES = (
    "#6fa8ff", "#f2945c", "#7fcf9a", "#d48fe0", "#e0c35c", "#63c7cf", "#e0808a", "#9aa7b8",
    "#a898f0", "#c9a07a",
)  # fmt: skip
_KNOWN = {
    "idle": IDLE, "patrol": STATES[0], "investigate": STATES[1], "notice": STATES[1],
    "chase": STATES[2], "attack": STATES[3], "takecover": STATES[4], "flee": STATES[5],
    "stunned": STATES[6], "search": STATES[4], "dead": "#6b3a42",
}  # fmt: skip
GRAVE = frozenset(("error", "failed", "stunned", "stuck", "dead"))
"""States that stay visible however little room they have."""

Rgb = tuple[int, int, int]
_COLOR = re.compile(r"#[0-9a-f]{6}")
_chosen: dict[str, str] = {}
_changes = [0]


def choose(colors: Mapping[str, str]) -> None:
    """Give states these colours instead of their usual ones, in all that this process draws."""
    told = {name.lower(): value for name, value in colors.items() if is_color(value)}
    if told != _chosen:
        _chosen.clear()
        _chosen.update(told)
        _changes[0] += 1


def changes() -> int:
    """How often colours of states have changed: what was drawn holds while this is the same."""
    return _changes[0]


def is_color(text: object) -> bool:
    """Whether something is a colour as all of these are."""
    return isinstance(text, str) and _COLOR.fullmatch(text) is not None


def state_color(name: str) -> str:
    """A state's colour: the same for the same name, wherever it is shown."""
    known = name.lower()
    return _chosen.get(known) or usual_color(known)


def chosen_color(name: str) -> str:
    """The colour that somebody gave a state; empty if nobody did."""
    return _chosen.get(name.lower(), "")


def usual_color(name: str) -> str:
    """What a state's colour is unless somebody chose another one."""
    return _KNOWN.get(name.lower()) or STATES[crc32(name.lower().encode()) % len(STATES)]


def type_color(name: str, types: tuple[str, ...] = ()) -> str:
    """A type's colour: by its place among the known types, which keeps neighbours apart."""
    place = types.index(name) if name in types else crc32(name.encode())
    return TYPES[place % len(TYPES)]


def rgb(color: str) -> Rgb:
    """`#rrggbb` as three numbers."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def hexed(color: Rgb) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)


@lru_cache(maxsize=8192)
def mixed(color: str, share: float, ground: str = SKY) -> str:
    """A colour over a ground that shows through by `share`: what alpha would do, but opaque."""
    pairs = zip(rgb(color), rgb(ground), strict=True)
    red, green, blue = (round(a * (1 - share) + b * share) for a, b in pairs)
    return hexed((red, green, blue))


def lighter(color: str, share: float = 0.35) -> str:
    """A colour that reads as text where the colour itself is a surface."""
    return mixed(color, share, "#ffffff")
