"""Colours that a person gives to states: seen everywhere, kept, and taken along in clips."""

import shutil

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

import playhead as ph
from playhead.playback.commands import SeekFrame
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.verify_clip import verify
from playhead.viewer.backends.annotation_store import SaveViewedClip
from playhead.viewer.state.clip_state_colors import colors_of
from playhead.viewer.state.settings import ViewerSettings
from playhead.viewer.state.shared_pins_and_histories import PanelContext
from playhead.viewer.toolkit import palette
from playhead.viewer.toolkit.qt import QPointF

PINK = palette.HUES["Pink"]


def kept_in(path) -> dict[str, str]:
    with ClipSource.open(path) as source:
        return colors_of(source.clip.marks)


def under(menu, words: str):
    """What is in a menu below these words: what each entry does."""
    (below,) = (one.menu() for one in menu.actions() if one.text() == words)
    return {one.text(): one for one in below.actions()}


def has_tick(action) -> bool:
    image = action.icon().pixmap(14, 14).toImage()
    return any(
        image.pixelColor(x, y).lightness() > 220
        for x in range(image.width()) for y in range(image.height())
    )  # fmt: skip


def seen(app, widget) -> set[str]:
    app.processEvents()
    image = widget.grab().toImage()
    return {
        image.pixelColor(x, y).name()
        for x in range(0, image.width(), 2)
        for y in range(0, image.height(), 2)
    }


@pytest.fixture
def own(clip, tmp_path):
    return shutil.copy(clip, tmp_path / "yard.mcap")


@pytest.fixture
def opened(window, own, until):
    made = window(own)
    made.store.select(1)
    made.store.send(SeekFrame(10))
    until(lambda: made.store.frame == 10 and made.store.selected == 1)
    made.machine.rebuild_if_stale()
    return made


def test_states_that_would_have_one_colour_are_distinguished_by_who_appears_first(
    window, tmp_path, until
):
    guard, path = {"x": 1.0, "y": 2.0}, tmp_path / "guard.mcap"
    with ph.record(guard, path, dt=0.1, strict=True) as rec:
        for source, target in (("", "Flee"), ("Flee", "Wander"), ("Wander", "Flee")):
            with rec.frame():
                rec.trace.state(guard, "ai", source, target, won="x")
    shared = palette.usual_color("Flee")
    assert palette.state_color("Wander") == shared, "asked first, before anything is known"
    made = window(path)
    until(lambda: made.store.history.complete)
    assert palette.state_color("Flee") == shared
    assert palette.state_color("Wander") != shared


def test_a_state_in_the_graph_gets_another_color_wherever_it_is_shown(opened, app, own, until):
    """Patrol is blue until then: in the graph, the lane, the world's label, the list."""
    graph = opened.machine.box_of(1)
    opened.machine.mouse = graph.topLeft() + QPointF(graph.width() / 4, 18)
    entries = under(opened.machine.menu(1), "Colour of Patrol")
    assert set(entries) == {*palette.HUES, "As usual"}
    assert entries["As usual"].isChecked()
    blue = palette.usual_color("Patrol")
    panels = (opened.machine, opened.timeline, opened.objects.list)
    assert all(blue in seen(app, one) for one in panels[:2])
    entries["Pink"].trigger()
    for panel in panels[:2]:
        assert PINK in seen(app, panel)
        assert blue not in seen(app, panel)
    assert palette.lighter(PINK) in seen(app, opened.world)
    entries = under(opened.machine.menu(1), "Colour of Patrol")
    assert [name for name, one in entries.items() if one.isChecked()] == ["Pink"]
    ticked = [name for name, one in entries.items() if has_tick(one)]
    assert ticked == ["Pink"]
    until(lambda: kept_in(own) == {"patrol": PINK})
    assert verify(own).ok


def test_it_travels_in_the_clip_and_is_no_mark_to_be_seen(opened, own, until, window, app):
    PanelContext.of(opened.store).color_requested.emit("Patrol", PINK)
    until(lambda: kept_in(own) == {"patrol": PINK})
    names = {mark.name for mark in opened.store.history.marks}
    opened.close()
    palette.choose({})
    again = window(own)
    assert palette.state_color("Patrol") == PINK
    assert {mark.name for mark in again.store.history.marks} == names
    # Back to the usual one: nothing is left of it in the file.
    PanelContext.of(again.store).color_requested.emit("Patrol", "")
    until(lambda: kept_in(own) == {})
    assert palette.state_color("Patrol") == palette.usual_color("Patrol")
    assert again.store.reader.unsaved == 0


def test_a_cut_of_the_clip_has_them_too(opened, own, until, tmp_path):
    PanelContext.of(opened.store).color_requested.emit("Patrol", PINK)
    until(lambda: kept_in(own) == {"patrol": PINK})
    short = tmp_path / "short.mcap"
    opened.store.reader.annotate(SaveViewedClip(str(short), (1.0, 2.0)))
    until(short.exists)
    assert kept_in(short) == {"patrol": PINK}


def test_a_span_s_menu_has_it_but_that_of_a_flag_does_not(opened, app):
    app.processEvents()
    rows, top = opened.timeline.rows(), 0
    for row in rows:
        if row.spans is not None and "Patrol" in row.spans.names:
            break
        top += row.height
    from playhead.viewer.panels.timeline.overview_and_ruler_painter import TOP

    menu = opened.timeline.menu(QPointF(opened.timeline.x_of(0.5), TOP + top + 8))
    assert "Pink" in under(menu, "Colour of Patrol")


def test_a_transition_s_menu_has_it_for_the_keyboard(opened):
    rows = [row for row in range(20) if opened.machine._reason_at(row) is not None]
    (first,) = (row for row in rows if opened.machine._reason_at(row).kind == "transition")
    assert "Pink" in under(opened.machine.menu(first), "Colour of Patrol")


def test_in_front_of_a_game_the_settings_keep_it_and_saved_clips_get_it(
    window, live, until, tmp_path
):
    game = live()
    made = window(game.endpoint, ready=False)
    until(lambda: made.store.snapshot is not None)
    PanelContext.of(made.store).color_requested.emit("Chase", PINK)
    assert ViewerSettings().colors == {"chase": PINK}
    assert palette.state_color("Chase") == PINK
    path = tmp_path / "saved.mcap"
    calls = []
    made.store.message.connect(calls.append)
    made.store.reader.annotate(SaveViewedClip(str(path)))
    until(lambda: any(text.startswith("Saved") for text in calls))
    assert kept_in(path) == {"chase": PINK}
    PanelContext.of(made.store).color_requested.emit("Chase", "")
    assert ViewerSettings().colors == {}
    assert palette.state_color("Chase") == palette.usual_color("Chase")


def test_a_clip_that_can_t_be_written_says_so_and_has_them_here(opened, own, until):
    own.chmod(0o444)
    calls = []
    opened.store.message.connect(calls.append)
    PanelContext.of(opened.store).color_requested.emit("Patrol", PINK)
    until(lambda: any("read-only" in text for text in calls))
    assert palette.state_color("Patrol") == PINK
    assert opened.store.reader.unsaved == 0  # nobody is asked about it when the window closes


def test_colors_that_make_no_sense_are_reported_and_left_out(settings_of_its_own):
    settings_of_its_own.mkdir()
    path = settings_of_its_own / "viewer.toml"
    path.write_text('[colors]\nPatrol = "#C2578F"\nchase = "teal"\n')
    settings = ViewerSettings()
    assert settings.colors == {"patrol": "#c2578f"}
    assert settings.errors == [
        f"{path}: colors.chase = 'teal' should be a colour such as \"#36908b\"; it is left out"
    ]
    settings.set_color("patrol", "#36908b")
    assert 'Patrol = "#36908b"' in path.read_text()
    assert 'chase = "teal"' in path.read_text()
