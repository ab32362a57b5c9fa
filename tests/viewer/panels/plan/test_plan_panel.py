"""The plan panel on a clip of a plan: what it shows at a frame, and where it goes."""

import numpy as np
import pytest

from playhead.playback.commands import SeekFrame, Show
from playhead.recorder.clips.clip_source import ClipSource
from playhead.viewer.panels.plan.plan_rows import PlanRowKind
from playhead.viewer.toolkit.qt import QImage


@pytest.fixture
def opened(window, until, app):
    def open(clip, frame=0, **rest):
        made = window(clip, **rest)
        until(lambda: made.docks.is_open("Plan"))
        if frame:
            made.store.send(SeekFrame(frame))
            until(lambda: made.store.frame == frame)
        app.processEvents()
        return made

    return open


def summaries(made, kind=None):
    return [row.summary for row in made.plan.list.rows if kind is None or row.kind is kind]


def picture_of(widget):
    """Its pixels: an array of rows, columns and colours."""
    picture = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(picture.constBits().asstring(picture.sizeInBytes()), np.uint8)
    return pixels.reshape(picture.height(), picture.width(), 4)


def keys(made, key, modifiers):
    from PyQt6.QtTest import QTest

    QTest.keyClick(made.world, key, modifiers)


def test_a_recording_with_a_plan_opens_the_panel_and_others_do_not(opened, window, clip, plan_clip):
    assert opened(plan_clip).docks.is_in_sight("Plan")
    assert not window(clip).docks.is_open("Plan")


def test_at_each_frame_it_shows_which_nodes_are_done_and_which_is_next(opened, plan_clip, until):
    made = opened(plan_clip, 1)
    assert summaries(made, PlanRowKind.NODE) == [
        "▸ 1  interact switch", "· 2  jump lava pit", "· 3  interact shrine",
    ]  # fmt: skip
    made.store.send(SeekFrame(made.store.history.span.newest))
    until(lambda: made.store.frame == made.store.history.span.newest)
    assert summaries(made, PlanRowKind.NODE) == [
        "✓ 1  interact switch   passed", "✓ 2  jump lava pit   passed",
        "✓ 3  interact shrine   passed",
    ]  # fmt: skip
    assert summaries(made)[0].endswith("all 3 nodes are done")


def test_each_rule_tells_what_it_looked_at_and_why_it_did_not_fire(opened, plan_clip):
    made = opened(plan_clip, 1)
    attack, take = (row for row in made.plan.list.rows if row.kind is PlanRowKind.RULE)
    assert (attack.title, attack.status, attack.cell) == ("attack enemy", "waiting", "priority 10")
    assert take.title == "take item"
    enemy = next(row for row in made.plan.list.rows if row.kind is PlanRowKind.PRECONDITION)
    assert enemy.title == "enemy within 4"
    assert float(enemy.cell) > 4
    assert "away, not within 4" in enemy.card[1]


def test_where_a_rule_fires_it_is_marked_with_what_was_true(opened, plan_clip, until):
    made = opened(plan_clip, 1)
    made.plan.buttons["▸ Rule"].click()
    until(lambda: made.store.frame > 1)
    fired = [row for row in made.plan.list.rows
             if row.kind is PlanRowKind.RULE and row.status == "fired"]  # fmt: skip
    assert len(fired) == 1
    assert any("interrupted" in text for text in summaries(made, PlanRowKind.NODE))
    held = [row for row in made.plan.list.rows if row.kind is PlanRowKind.PRECONDITION
            and row.part == fired[0].part]  # fmt: skip
    assert {row.status for row in held} == {"yes"}


def test_validations_are_listed_with_their_values_before_and_after(opened, plan_clip, until):
    made = opened(plan_clip, 1)
    assert not summaries(made, PlanRowKind.VALIDATION)
    made.plan.controller.go("validation", 1)
    until(lambda: made.store.frame > 1)
    (row, *_) = (one for one in made.plan.list.rows if one.kind is PlanRowKind.VALIDATION)
    assert row.status == "done"
    values = {one.title: (one.cell, one.status) for one in made.plan.list.rows
              if one.kind is PlanRowKind.VALUE}  # fmt: skip
    assert values
    assert any(status == "changed" and " → " in cell for cell, status in values.values())


def test_while_an_action_is_being_validated_that_is_reported_to_wait(opened, plan_clip, until):
    made = opened(plan_clip, 1)
    frame = next(
        change.frame for (_, machine), changes in made.store.history.changes.items()
        if machine == "validation" for change in changes if change.trace.values["action"] == "jump"
    )  # fmt: skip
    made.store.send(SeekFrame(frame))
    until(lambda: made.store.frame == frame)
    row = next(one for one in made.plan.list.rows if one.kind is PlanRowKind.VALIDATION)
    assert row.cell.startswith("waiting")
    assert row.status == "now"


def test_buttons_and_keys_go_from_node_to_node_and_back(opened, plan_clip, until):
    from playhead.viewer.toolkit.qt import Qt

    made = opened(plan_clip, 1)
    frames = [1]
    for _ in range(2):
        made.plan.buttons["▸ Node"].click()
        until(lambda: made.store.frame > frames[-1])
        frames.append(made.store.frame)
    control = Qt.KeyboardModifier.ControlModifier
    keys(made, Qt.Key.Key_BracketLeft, control)
    until(lambda: made.store.frame == frames[1])
    keys(made, Qt.Key.Key_BracketRight, control)
    until(lambda: made.store.frame == frames[2])
    keys(made, Qt.Key.Key_BracketRight, Qt.KeyboardModifier.AltModifier)
    until(lambda: made.store.frame > frames[2])


def test_a_click_on_a_node_goes_to_where_it_begins(opened, plan_clip, until):
    from PyQt6.QtTest import QTest

    from playhead.viewer.toolkit.qt import Qt

    made = opened(plan_clip, 1)
    plan = made.plan.list
    row = plan.row_of(("nodes", 2))
    plan.show_row(row)
    QTest.mouseClick(plan, Qt.MouseButton.LeftButton, pos=plan.box_of(row).center().toPoint())
    until(lambda: made.store.frame > 1)
    assert summaries(made, PlanRowKind.NODE)[2] == "▸ 3  interact shrine"


def test_a_failed_plan_shows_why_and_at_which_node(opened, failed_clip, until):
    made = opened(failed_clip)
    made.store.next_problem(1)
    until(lambda: made.plan.controller.record and made.plan.controller.record.progress.failure)
    assert summaries(made)[0].endswith("failed at node 1")
    assert "not done within 1 s" in summaries(made, PlanRowKind.WRONG)[0]
    assert summaries(made, PlanRowKind.NODE)[0].startswith("✕ 1  interact switch")
    assert not made.plan.list.grab().isNull()
    assert not made.plan.list.error_text


def test_it_opens_at_a_failed_validation_with_its_actor_and_its_values(
    opened, out_of_reach_clip, until
):
    made = opened(out_of_reach_clip)
    until(lambda: made.plan.controller.record)
    store = made.store
    [check] = [mark for mark in store.history.marks if mark.kind == "check"]
    assert store.frame == check.frame < store.history.span.newest
    assert made.transport.mode.text() == "PAUSED"
    assert store.selected == check.object
    assert store.snapshot.names[store.selected] == "switch"
    assert summaries(made)[0].endswith("failed at node 1")
    assert summaries(made, PlanRowKind.NODE) == ["✕ 1  interact switch   timed out"]
    [row] = [one for one in made.plan.list.rows if one.kind is PlanRowKind.VALIDATION]
    assert (row.title, row.status) == ("interact switch", "failed")
    assert row.cell.startswith("timed out")
    values = {one.title: one.cell for one in made.plan.list.rows if one.kind is PlanRowKind.VALUE}
    assert values == {"switch": "off → off", "locked door #5": "closed → closed"}


def test_the_way_that_is_followed_is_painted_in_the_world(opened, out_of_reach_clip, until):
    made = opened(out_of_reach_clip, 200)
    world = made.world
    world.see_all()
    with ClipSource.open(out_of_reach_clip) as source:
        [way] = [one.values["segments"] for one in source.drawn(200) if one.latched == "plan path"]
    along = np.linspace(way[:, 0], way[:, 1], 20).reshape(-1, 3)
    view = world.camera.view(world.width(), world.height())
    pixels, front, _ = view.project(world.scene.world(along))
    assert front.all()
    shown = picture_of(world)
    made.store.send(Show("plan", on=False))
    until(lambda: "plan" in made.store.playback.hidden)
    differ = (shown != picture_of(world)).any(axis=2)
    on_it = [differ[y - 1 : y + 2, x - 1 : x + 2].any() for x, y in pixels.round().astype(int)]
    assert np.mean(on_it) > 0.5, "what is not seen of it is behind walls and names"


def test_the_nodes_are_numbered_in_the_world_where_they_are(opened, plan_clip):
    made = opened(plan_clip, 300)
    places = made.plan.controller.places()
    assert [place.index for place in places] == [0, 1, 2]
    made.world.see_all()
    before = made.world.grab().toImage()
    made.world.markers, markers = None, made.world.markers
    made.world.update()
    assert before != made.world.grab().toImage()
    made.world.markers = markers


def test_the_menu_of_a_rule_asks_how_often_it_fired_and_tells_where_hooks_can_be_set(
    opened, plan_clip, until
):
    made = opened(plan_clip, 1)
    rules = [at for at, row in enumerate(made.plan.list.rows) if row.kind is PlanRowKind.RULE]
    entries = made.plan.list.menu_entries(rules[0])
    assert entries[1][0].startswith("Why not ")
    [hooks] = [one for one in entries if hasattr(one, "actions")]
    [(past, ask), (why, _)] = hooks.actions
    assert "need the running game" in why
    told = []
    made.store.message.connect(told.append)
    assert past == "How often so far"
    ask()
    until(lambda: any(text.startswith("rule ") for text in told))
    nodes = [at for at, row in enumerate(made.plan.list.rows) if row.kind is PlanRowKind.NODE]
    assert not any(hasattr(one, "actions") for one in made.plan.list.menu_entries(nodes[0]))


def test_without_a_plan_the_panel_names_the_command_that_records_one(window, clip):
    made = window(clip)
    assert made.plan.list.text() == "No plan is followed at this frame"
    assert "playhead plan run" in made.plan.list.empty_hint
    assert not made.plan.buttons["▸ Node"].isEnabled()
    calls = []
    made.store.message.connect(calls.append)
    made.plan.controller.go("node", 1)
    assert "No plan is followed" in calls[0]


def test_what_makes_no_sense_in_a_recording_is_no_plan(tmp_path, window):
    from playhead.session import Session

    from ...yard import handlers, make_yard

    world = make_yard()
    with Session(world, handlers=handlers()) as session:
        session.fact(0, "plan", {"nodes": 3})
        session.update(0.1)
        session.save(tmp_path / "odd.mcap")
    made = window(tmp_path / "odd.mcap")
    assert made.plan.controller.record is None
    assert not made.docks.is_open("Plan")
