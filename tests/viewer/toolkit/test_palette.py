"""Colours that can be told apart by everybody, and text that can be read."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.viewer.toolkit import palette

# Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
# Deficiency", IEEE TVCG 15 (6), 2009: the matrices of severity 1, for linear sRGB.
SIGHTS = {
    "normal": np.eye(3),
    "protanopia": np.array([
        [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ]),
    "deuteranopia": np.array([
        [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]),
    "tritanopia": np.array([
        [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ]),
}  # fmt: skip
SRGB = np.array([
    [0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
    [0.0193339, 0.1191920, 0.9503041],
])  # fmt: skip
"""Linear sRGB to CIE XYZ under D65."""
APART = 12.0
STATES = (*palette.STATES, palette.IDLE, palette.DEAD)


@pytest.fixture(autouse=True, params=palette.THEMES)
def theme(request):
    """All of this holds in each theme."""
    palette.use_theme(request.param)
    yield request.param
    palette.use_theme("dark")


COLORS = st.from_regex(r"#[0-9a-f]{6}", fullmatch=True)


def lab(color: str, sight: str):
    """CIELAB of a colour as somebody sees it."""
    parts = np.array(palette.rgb(color)) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    x, y, z = np.clip(SIGHTS[sight] @ linear, 0, 1) @ SRGB.T / SRGB.sum(axis=1)
    fx, fy, fz = (
        one ** (1 / 3) if one > 216 / 24389 else (24389 / 27 * one + 16) / 116 for one in (x, y, z)
    )
    return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])


def test_the_measure_is_that_of_the_textbook():
    assert lab("#ffffff", "normal") == pytest.approx([100, 0, 0], abs=0.01)
    assert lab("#ff0000", "normal") == pytest.approx([53.24, 80.09, 67.20], abs=0.05)
    assert palette.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert palette.contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)
    for matrix in SIGHTS.values():  # greys stay grey
        assert matrix.sum(axis=1) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("sight", SIGHTS)
def test_any_two_colours_of_states_can_be_distinguished(sight):
    seen = {color: lab(color, sight) for color in STATES}
    assert len(seen) == len(STATES)
    for one, other in combinations(STATES, 2):
        away = float(np.linalg.norm(seen[one] - seen[other]))
        assert away >= APART, f"{one} and {other} under {sight}: {away:.1f}"


def test_states_have_no_colours_but_these():
    assert {palette.usual_color(f"state {at}") for at in range(500)} == set(palette.STATES)
    assert set(palette._KNOWN.values()) <= set(STATES)
    assert set(palette.HUES.values()) <= set(STATES)
    both = {palette.usual_color(name) for name in ("TakeCover", "Search")}
    assert len(both) == 2


NAMES = st.lists(st.text("abcdef", min_size=1, max_size=3) | st.sampled_from(
    ["idle", "patrol", "Attack", "flee", "wander", "none", "dead"]
), max_size=12, unique_by=str.lower)  # fmt: skip


@given(NAMES)
def test_states_of_a_recording_have_colours_of_their_own_while_there_are_any(names):
    palette.forget_states()
    palette.assign(names)
    colors = [palette.state_color(name) for name in names]
    assert len(set(colors)) == len(names)
    palette.forget_states()
    palette.assign(names)
    assert [palette.state_color(name) for name in names] == colors, "the same in every window"


@given(NAMES, st.integers(0, 12))
def test_a_state_that_appears_later_takes_no_colour_from_those_before(names, known):
    palette.forget_states()
    palette.assign(names[:known])
    colors = {name: palette.state_color(name) for name in names[:known]}
    before = palette.changes()
    palette.assign(names)
    assert {name: palette.state_color(name) for name in names[:known]} == colors
    assert palette.changes() == before


def test_states_that_would_have_one_colour_differ():
    assert palette.usual_color("wander") == palette.usual_color("flee")
    assert palette.state_color("wander") != palette.state_color("flee")
    assert palette.usual_color("Flee") == palette.state_color("flee"), "as the menu shows it"


def test_more_states_than_colours_share_them():
    palette.assign(f"state {at}" for at in range(40))
    assert len({palette.state_color(f"state {at}") for at in range(40)}) == len(STATES)


def test_what_was_painted_is_known_to_be_old_when_a_colour_changes():
    first, before = palette.state_color("wander"), palette.changes()
    palette.assign(["flee", "wander"])
    assert palette.state_color("wander") != first
    assert palette.changes() == before + 1


@pytest.mark.parametrize("surface", sorted(set(palette.SURFACES)))
def test_text_reads_on_every_surface(surface):
    for text in palette.TEXTS:
        result = palette.contrast(text, surface)
        assert result >= 4.5, f"{text} on {surface}: {result:.2f}"


@pytest.mark.parametrize(("text", "surface"), palette.PAIRS)
def test_text_reads_on_surfaces_of_its_own(text, surface):
    assert palette.contrast(text, surface) >= 4.5


@given(COLORS)
def test_text_reads_on_and_in_whatever_colour_somebody_gives_a_state(color):
    assert palette.contrast(palette.ink_on(color), color) >= 4.5
    for surface in palette.SURFACES:
        assert palette.contrast(palette.lighter(color), surface) >= 4.5
        assert palette.contrast(palette.readable(color), surface) >= 4.5
    assert palette.contrast(palette.TEXT, palette.behind_text(color)) >= 4.5


def test_a_tinted_state_keeps_its_name_readable():
    for color in (*STATES, *palette.TYPES, *palette.SERIES):
        for share in (0.82, 0.85, 0.86, 0.94):  # of pills, the graph and the tree
            surface = palette.mixed(color, share, palette.PANEL)
            for text in (palette.lighter(color), palette.TEXT, palette.FAINT):
                if text != palette.FAINT or share == 0.94:
                    assert palette.contrast(text, surface) >= 4.5, (color, share, text)


def test_the_style_sheet_writes_only_what_reads():
    from playhead.viewer.toolkit import theme

    found = 0
    for _, body in re.findall(r"([^{}]+)\{([^{}]*)\}", theme.SHEET):
        text = re.search(r"(?<![-\w])color: (#\w{6})", body)
        ground = re.search(r"background: (#\w{6})", body)
        if text is None:
            continue
        for surface in (ground[1],) if ground else palette.SURFACES:
            found += 1
            assert palette.contrast(text[1], surface) >= 4.5, body
    assert found > 20


def test_no_panel_has_a_colour_of_its_own_for_text():
    """What is not in the palette is not in these tests: only lines and edges may be."""
    import playhead.viewer

    folder = Path(playhead.viewer.__file__).parent
    for path in folder.rglob("*.py"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            result = re.search(r"[^-]color: (#[0-9a-fA-F]{6})", line)
            assert result is None, f"{path.name}:{number}: {line.strip()}"


def test_text_reads_on_tinted_rows():
    """The line of the log at the playhead, a failed check's, a changed field, a state's bar."""
    for tint, cover, texts in (
        (palette.PLAYHEAD, 36, (palette.FAINT, palette.TEXT, palette.ACCENT)),
        (palette.FAILED, 22, (palette.FAINT, palette.TEXT, palette.FAILED)),
        (palette.RUNNING, 34, (palette.RUNNING,)),
        *((state, 70, (palette.TEXT,)) for state in STATES),
    ):
        surface = palette.mixed(tint, 1 - cover / 255, palette.PANEL)
        for text in texts:
            assert palette.contrast(text, surface) >= 4.5, (tint, text)


def test_a_theme_has_each_colour_and_names_none_by_another_one():
    light = palette.LIGHT
    named = {
        value for name, value in vars(palette).items()
        if name.isupper() and palette.is_color(value)
    }  # fmt: skip
    assert named - set(palette.STATES) - {palette.IDLE, palette.DEAD} <= set(light)
    assert not set(light.values()) & set(light)
    assert all(map(palette.is_color, light.values()))


def test_what_is_made_of_colours_follows_the_theme():
    made = {}
    for name in palette.THEMES:
        palette.use_theme(name)
        made[name] = palette.mixed(palette.TEXT, 0.5), palette.translated(f"a {palette.TEXT};")
    assert len(set(made.values())) == len(palette.THEMES)
    assert palette.contrast(palette.on_sky("#ffffff"), palette.SKY) > 1.5


def test_no_file_of_the_viewer_has_a_colour_of_its_own():
    """A colour that is not in the palette would be the same in each theme."""
    import playhead.viewer

    for path in Path(playhead.viewer.__file__).parent.rglob("*.py"):
        if path.name in ("palette.py", "settings.py"):  # which names one in a message
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            literal = re.search(r"[\"']#[0-9a-fA-F]{6}[\"']", line)
            is_clear = literal is not None and literal[0][1:-1] in ("#000000", "#ffffff")
            assert literal is None or is_clear, f"{path.name}:{number}: {line.strip()}"
