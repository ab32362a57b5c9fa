"""The colours, each with one meaning, and which state has which; without Qt.

A colour here is what it is in the dark theme, and by that it is named. `shown` gives it as it is in
the theme that is used; all that paints goes through that, so constants may be kept anywhere.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import ParamSpec, TypeVar, cast
from zlib import crc32

_P = ParamSpec("_P")
_R = TypeVar("_R")

GROUND = "#0d0f13"
PANEL = "#13161c"
HEADER = "#1a1e26"
RAISED = "#232833"
HOVER = "#181c24"
GROUP = "#171b22"
"""The background of a group's heading."""
NEWEST = "#1b212b"
CARD = "#0b0d11"
"""The background of hover cards and names in the world."""
FIGURE = "#0f1217"
"""The background of small drawings in a panel."""
CHOSEN = "#162a46"
"""The background of the chosen row, and of switches that are on."""
EDGE = "#2a303c"
TEXT = "#d7dce5"
DIM = "#a3acbb"
FAINT = "#8892a3"
"""The darkest colour of text: it can still be read on each of `SURFACES`."""
PLAYHEAD = "#ff6b4a"
"""For the playhead and nothing else."""
SELECTED = "#fefefe"
SELECTED_BODY = "#fdfdfd"
"""The same in the world, where light falls on it."""
ACCENT = "#4ea1ff"
OK = "#3fbf7f"
RUNNING = "#f2b53b"
FAILED = "#f7686d"
WARNING = "#e8a33d"
HIT = "#c09bf5"
"""For what was found by a search."""
SKY = "#12151b"
"""Things in the world fade into it with distance."""
WARNING_GROUND, WARNING_TEXT = "#2a2110", "#f3d9a0"
FAILED_GROUND, FAILED_TEXT = "#2a1417", "#f6c4c6"
MISTAKE = "#1d1315"
"""The background of an error of the viewer itself."""
QUIET = "#39352c"
"""For frames that came in their usual time."""
GRID = "#1d222b"
"""Lines behind curves and lanes."""
OUTLINE, CHOSEN_OUTLINE, SCROLL_BAR = "#3a4352", "#2f5a94", "#343b49"
"""Around cards and keys; around switches that are on; of what is scrolled."""
NOT_SET = "#2b313d"
"""A flag that is not set: something is known there, and it is nothing to look at."""
RECENT = "#323a47"
"""Transitions fade into it."""
SKY_TOP, SKY_FOOT, GROUND_LINE, GROUND_LINE_FIFTH = "#191d26", "#0f1115", "#1a1f28", "#252c38"
"""The background of the world, and the lines on its ground."""
AVOIDANCE = "#d9608c"
MISSING = "#15171b"
"""The background of ranges without data."""
CHOSEN_TEXT = "#bfe0ff"
BAR, BAR_CHOSEN, BAR_LOCKED, RANGE = "#1d222c", "#234a7d", "#39414f", "#10233c"
"""The background of numbers in bars, and of a loop's length."""
PLAYHEAD_TEXT = "#1b0b07"
SURFACES = (GROUND, PANEL, HEADER, RAISED, HOVER, GROUP, NEWEST, CARD, FIGURE, CHOSEN, SKY, MISSING)
"""All backgrounds of text in one of `TEXTS`."""

STATES = (
    "#1a6eb0", "#c1a023", "#c37f48", "#9b162c", "#3f9e9a", "#9989f4", "#fa7cb4", "#91c775",
    "#9c725c", "#65c5f1",
)  # fmt: skip
"""Distinguishable for colour-blind people too; `ink_on` chooses the text on one."""
IDLE, DEAD = "#5b626f", "#723345"
_FOR_STATES = (*STATES, IDLE, DEAD)
HUES = dict(zip(
    ("Blue", "Ochre", "Orange", "Red", "Teal", "Violet", "Pink", "Green", "Brown", "Sky", "Grey"),
    (*STATES, IDLE), strict=True,
))  # fmt: skip
"""The colours that the user can give to a state, by name."""
SERIES = (
    "#4fb286", "#6f9bf2", "#e8894a", "#e2709b", "#a48be4", "#d8b545", "#3fb0bd", "#bd8a66",
)  # fmt: skip
TYPES = (
    "#6fa8ff", "#f2945c", "#7fcf9a", "#d48fe0", "#e0c35c", "#63c7cf", "#e0808a", "#9aa7b8",
    "#a898f0", "#c9a07a",
)  # fmt: skip
_KNOWN = {
    "idle": IDLE, "patrol": STATES[0], "investigate": STATES[1], "notice": STATES[1],
    "chase": STATES[2], "attack": STATES[3], "takecover": STATES[4], "flee": STATES[5],
    "stunned": STATES[6], "search": STATES[7], "dead": DEAD,
}  # fmt: skip
TEXTS = (TEXT, DIM, FAINT, SELECTED, PLAYHEAD, ACCENT, OK, RUNNING, FAILED, WARNING, HIT, *SERIES)
"""Colours of text on any of `SURFACES`."""
PAIRS = (
    (WARNING_TEXT, WARNING_GROUND), (WARNING_TEXT, MISSING), (CHOSEN_TEXT, CHOSEN),
    (CHOSEN_TEXT, RANGE), (SELECTED, FAILED_GROUND), (FAILED_TEXT, FAILED_GROUND),
    (DIM, FAILED_GROUND), (FAILED_GROUND, FAILED), (FAILED, MISTAKE), (TEXT, MISTAKE),
    (DIM, MISTAKE), (TEXT, BAR), (FAINT, BAR), (SELECTED, BAR), (TEXT, BAR_CHOSEN),
    (TEXT, BAR_LOCKED), (PLAYHEAD_TEXT, PLAYHEAD),
)  # fmt: skip
"""Pairs of colours that are only used together: (text, surface)."""
_LEAST_ON_SKY = 1.8
LEAST_CONTRAST = 4.5
"""The contrast of any text to its background, as WCAG 2 demands."""
GRAVE = frozenset(("error", "failed", "stunned", "stuck", "dead"))
"""States that the timeline shows however short they are."""

LIGHT = {
    GROUND: "#e9ecf1", PANEL: "#f7f8fa", HEADER: "#e4e8ee", RAISED: "#dce1e9", HOVER: "#edf0f5",
    GROUP: "#eef1f5", NEWEST: "#e6eaf1", CARD: "#fcfcfd", FIGURE: "#f1f3f7", CHOSEN: "#cfe2fb",
    EDGE: "#c5ccd8", TEXT: "#1a202b", DIM: "#46505f", FAINT: "#4f5a6b", PLAYHEAD: "#a82d0c",
    SELECTED: "#0b0f16", SELECTED_BODY: "#4a5468", ACCENT: "#0b55ac", OK: "#0b6238",
    RUNNING: "#704b00", FAILED: "#aa1620",
    WARNING: "#764900", HIT: "#6a34b8", SKY: "#e6ebf2", WARNING_GROUND: "#fbefcf",
    WARNING_TEXT: "#5e4000", FAILED_GROUND: "#fde7e8", FAILED_TEXT: "#7c1219", MISTAKE: "#fbeced",
    MISSING: "#eceef1", CHOSEN_TEXT: "#0a3d78", BAR: "#e1e6ee", BAR_CHOSEN: "#b6d3f7",
    BAR_LOCKED: "#cbd2dd", RANGE: "#dcebfd", PLAYHEAD_TEXT: "#fff8f6", QUIET: "#cfc9ba",
    GRID: "#dde2ea", OUTLINE: "#b3bcca", CHOSEN_OUTLINE: "#7fb0ee", SCROLL_BAR: "#b9c1ce",
    NOT_SET: "#ccd3de", RECENT: "#b9c2cf", SKY_TOP: "#f3f6fa", SKY_FOOT: "#dfe5ee",
    GROUND_LINE: "#d7dde7", GROUND_LINE_FIFTH: "#c3cbd8", AVOIDANCE: "#a3275a",
    **dict(zip(SERIES, (
        "#166440", "#2a50ac", "#8a3d0d", "#962253", "#5636ab", "#664f00", "#0a5a65", "#6c3f1c",
    ), strict=True)),
    **dict(zip(TYPES, (
        "#2f6fd0", "#c2581a", "#2f8f54", "#9a45ab", "#94760f", "#1c858f", "#bb4552", "#5d6b7e",
        "#6a54cc", "#8d6236",
    ), strict=True)),
}  # fmt: skip
"""What the colours are in the light theme. Those of states stay: `ink_on` chooses their text."""
THEMES: Mapping[str, Mapping[str, str]] = {"dark": {}, "light": LIGHT}

Rgb = tuple[int, int, int]
_COLOR = re.compile(r"#[0-9a-f]{6}")
_chosen: dict[str, str] = {}
"""The colours that the user gave to states, by their names in lower case."""
_assigned: dict[str, str] = {}
"""The usual colours of the states of this recording, by their names in lower case."""
_changes = [0]
_theme = ["dark"]
_cache_clears: list[Callable[[], None]] = []


def themed_cache(make: Callable[_P, _R]) -> Callable[_P, _R]:
    """Remember what a function makes of colours, until another theme is used."""
    cached = lru_cache(maxsize=4096)(make)
    _cache_clears.append(cached.cache_clear)
    return cast(Callable[_P, _R], cached)


def use_theme(name: str) -> None:
    """Show all that this process draws in the colours of one of `THEMES`."""
    if name != _theme[0]:
        _theme[0] = name
        _changes[0] += 1
        for clear in _cache_clears:
            clear()


def theme() -> str:
    """The theme that is used."""
    return _theme[0]


def shown(color: str) -> str:
    """A colour as it is in the theme that is used; one of no meaning stays as it is."""
    return THEMES[_theme[0]].get(color, color)


def translated(style_sheet: str) -> str:
    """A style sheet with all its colours as `shown` gives them."""
    return _COLOR.sub(lambda found: shown(found[0]), style_sheet)


def choose(colors: Mapping[str, str]) -> None:
    """Give states these colours instead of their usual ones, in all that this process draws."""
    valid = {name.lower(): value for name, value in colors.items() if is_color(value)}
    if valid != _chosen:
        _chosen.clear()
        _chosen.update(valid)
        _changes[0] += 1


def assign(names: Iterable[str]) -> None:
    """Give each state of a recording a usual colour of its own, as long as there are free ones.

    Args:
        names: In the order in which they appear in the recording: where two would have the same
            colour, the first one gets it. Other states that have a colour already come last.
    """
    ordered = dict.fromkeys((*(name.lower() for name in names), *_assigned))
    before = dict(_assigned)
    _assigned.clear()
    for name in ordered:
        _assigned[name] = _free_color(name)
    if any(_assigned[name] != color for name, color in before.items()):
        _changes[0] += 1


def forget_states() -> None:
    """Forget all usual colours, when another recording is opened."""
    _assigned.clear()


def changes() -> int:
    """How often colours of states, or the theme, have changed: a key for caches of images."""
    return _changes[0]


def is_color(text: object) -> bool:
    """Whether something is a colour in the form `#rrggbb`, in lower case."""
    return isinstance(text, str) and _COLOR.fullmatch(text) is not None


def state_color(name: str) -> str:
    """A state's colour: the same for the same name, wherever it is shown."""
    known = name.lower()
    if known not in _assigned:
        _assigned[known] = _free_color(known)
    return _chosen.get(known) or _assigned[known]


def chosen_color(name: str) -> str:
    """The colour that the user gave to a state; empty if none."""
    return _chosen.get(name.lower(), "")


def usual_color(name: str) -> str:
    """A state's colour unless the user chose another one."""
    return _assigned.get(name.lower()) or _preferred_color(name.lower())


def _preferred_color(name: str) -> str:
    return _KNOWN.get(name) or STATES[crc32(name.encode()) % len(STATES)]


def _free_color(name: str) -> str:
    """The preferred colour of a state, or the next one that no other state has."""
    preferred, taken = _preferred_color(name), set(_assigned.values())
    if preferred not in taken or len(taken) == len(_FOR_STATES):
        return preferred
    index = _FOR_STATES.index(preferred)
    candidates = (*_FOR_STATES[index:], *_FOR_STATES[:index])
    return next(color for color in candidates if color not in taken)


def type_color(name: str, types: tuple[str, ...] = ()) -> str:
    """A type's colour: by its index among the known types, so that neighbours differ."""
    index = types.index(name) if name in types else crc32(name.encode())
    return TYPES[index % len(TYPES)]


def rgb(color: str) -> Rgb:
    """`#rrggbb` as three numbers, in the theme that is used."""
    color = shown(color)
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def hex_color(color: Rgb) -> str:
    """Three numbers as `#rrggbb`."""
    return "#{:02x}{:02x}{:02x}".format(*color)


@themed_cache
def mixed(color: str, share: float, ground: str = SKY) -> str:
    """A colour mixed with a share of another one: opaque, but as with alpha over that ground."""
    pairs = zip(rgb(color), rgb(ground), strict=True)
    red, green, blue = (round(a * (1 - share) + b * share) for a, b in pairs)
    return hex_color((red, green, blue))


def contrast(one: str, other: str) -> float:
    """The contrast of two colours: 1 … 21, as WCAG 2 defines it."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@themed_cache
def ink_on(surface: str) -> str:
    """Black or white: the one that can be read better on a surface of any colour."""
    return max("#ffffff", "#000000", key=lambda ink: contrast(ink, surface))


@themed_cache
def readable(color: str) -> str:
    """A colour for text: the same, or as much nearer to white as needed to be read on all
    `SURFACES`; in the light theme nearer to black."""
    for step in range(21):
        result = mixed(color, step / 20, _far_from_surfaces())
        if all(contrast(result, surface) >= LEAST_CONTRAST for surface in SURFACES):
            return result
    return _far_from_surfaces()


@themed_cache
def behind_text(color: str) -> str:
    """A colour for a surface below text: the same, or as much darker as that needs; in the light
    theme lighter."""
    ground = ink_on(TEXT)
    for step in range(21):
        result = mixed(color, step / 20, ground)
        if contrast(TEXT, result) >= LEAST_CONTRAST:
            return result
    return ground


def lighter(color: str, share: float = 0.35) -> str:
    """A lighter shade of a colour, for text beside surfaces of that colour; in the light theme a
    darker one."""
    return readable(mixed(color, share, _far_from_surfaces()))


@themed_cache
def on_sky(color: str) -> str:
    """A game's colour as it can be seen in the world: a bright one is darker in the light theme."""
    for step in range(11):
        result = mixed(color, step / 20, "#000000")
        if _theme[0] == "dark" or contrast(result, SKY) >= _LEAST_ON_SKY:
            break
    return result


def _far_from_surfaces() -> str:
    return ink_on(PANEL)


@themed_cache
def _luminance(color: str) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (number / 255 for number in rgb(color))
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
