"""Editing a plan in its window: by mouse and keys, in the list and in the world, and saving it."""

from pathlib import Path

import pytest
from PyQt6.QtTest import QTest

from playhead.agents.plans.plan_file import load_plan, parse_plan
from playhead.playback.commands import SeekFrame
from playhead.viewer.panels.plan import plan_panel
from playhead.viewer.panels.plan.plan_rows import PlanRowKind
from playhead.viewer.toolkit.qt import QPointF, Qt

from .conftest import TEXT

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier


class Editor:
    """A window in which a plan is edited."""

    def __init__(self, window, app, until):
        self.window, self.app, self.until = window, app, until
        self.panel, self.list = window.plan, window.plan.list
        self.editing = window.plan_editing
        self.said = []
        window.store.message.connect(self.said.append)

    def open(self, path):
        self.editing.open(path)
        self.until(lambda: self.list.rows)

    def titles(self, kind=PlanRowKind.NODE):
        return [row.title for row in self.list.rows if row.kind is kind]

    def at(self, part, field=""):
        row = self.list.row_of(part, field)
        self.list.show_row(row)
        return self.list.box_of(row).center().toPoint()

    def click(self, part, field=""):
        QTest.mouseClick(self.list, LEFT, pos=self.at(part, field))
        self.app.processEvents()

    def press(self, key, modifiers=Qt.KeyboardModifier.NoModifier):
        QTest.keyClick(self.list, key, modifiers)

    def type(self, part, field, text):
        if self.editing.opened != part:
            self.click(part)
        self.window.activateWindow()  # a list of choices that closes may leave none active
        self.app.processEvents()
        self.click(part, field)
        assert self.list._editor.isVisible()
        QTest.keyClicks(self.list._editor, text)
        QTest.keyClick(self.list._editor, Qt.Key.Key_Return)

    def wrong(self):
        return [(row.title, row.part) for row in self.list.rows if row.kind is PlanRowKind.WRONG]


@pytest.fixture
def editor_of(window, app, until):
    windows = []

    def open(clip):
        windows.append(window(clip, size=(1920, 1080)))
        until(lambda: windows[-1].docks.is_open("Plan"))
        app.processEvents()
        return Editor(windows[-1], app, until)

    yield open
    for one in windows:
        one.plan_editing.undo_stack.setClean()


@pytest.fixture
def editor(editor_of, short_clip):
    return editor_of(short_clip)


@pytest.mark.slow
def test_the_plan_of_a_recording_becomes_a_text_that_says_the_same(editor_of, plan_clip):
    editor = editor_of(plan_clip)
    editor.panel.edit_recorded()
    plan = parse_plan(editor.editing.text).plan
    from playhead.agents.plans.plan_file import shipped_plan

    assert plan == load_plan(shipped_plan("arena:dungeon")).plan


def test_a_field_is_typed_in_place_undone_and_saved_with_all_comments(editor, plan_file):
    editor.open(plan_file)
    editor.type(("nodes", 0), "tolerance", "2.5")
    editor.type(("nodes", 1), "movement", "run")
    editor.type(("rules", 0), "when", "enemy within 6; health above 20")
    assert not editor.said
    assert load_plan(plan_file).plan.nodes[0].tolerance is None
    editor.press(Qt.Key.Key_Z, CONTROL)
    editor.press(Qt.Key.Key_Y, CONTROL)
    editor.panel.buttons["Save"].click()
    plan, text = load_plan(plan_file).plan, plan_file.read_text("utf-8")
    assert plan.nodes[0].tolerance == 2.5
    assert plan.nodes[1].movement == "run"
    assert [one.text for one in plan.rules[0].when] == ["enemy within 6", "health above 20"]
    for comment in ("# Through the dungeon.", "# opens the door", "# Where one waits.",
                    "# Whoever comes near."):  # fmt: skip
        assert comment in text
    assert not editor.editing.is_unsaved


def test_undo_goes_back_to_the_text_as_it_was_byte_for_byte(editor, plan_file):
    editor.open(plan_file)
    editor.editing.set_field(("nodes", 0), "wait", 3)
    editor.editing.delete(("nodes", 1))
    editor.editing.duplicate(("rules", 0))
    editor.editing.move(("nodes", 1), 0)
    for _ in range(4):
        editor.press(Qt.Key.Key_Z, CONTROL)
    assert editor.editing.text == TEXT
    assert not editor.editing.is_unsaved


def test_nodes_and_rules_are_added_deleted_and_copied(editor, plan_file):
    editor.open(plan_file)
    editor.panel.buttons["+ Node"].click()
    assert len(editor.titles()) == 4
    editor.panel.buttons["+ Rule"].click()
    assert len(editor.titles(PlanRowKind.RULE)) == 2
    editor.editing.duplicate(("rules", 0))
    names = [rule.title for rule in parse_plan(editor.editing.text).plan.rules]
    assert names == ["attack enemy", "attack enemy again", "go to enemy"]
    editor.click(("nodes", 0))
    editor.press(Qt.Key.Key_Delete)
    assert editor.titles()[0].startswith("1  go to -12, -6, 0")
    for _ in range(3):
        editor.editing.delete(("nodes", 0))
    assert len(editor.titles()) == 1
    assert any("at least one node" in result for result in editor.said)


def test_a_node_is_dragged_and_moved_by_keys_to_another_place_in_the_list(editor, plan_file):
    editor.open(plan_file)
    begin, end = editor.at(("nodes", 2)), editor.at(("nodes", 0))
    QTest.mousePress(editor.list, LEFT, pos=begin)
    QTest.mouseMove(editor.list, QPointF(begin.x(), (begin.y() + end.y()) / 2).toPoint())
    QTest.mouseMove(editor.list, end)
    QTest.mouseRelease(editor.list, LEFT, pos=end)
    assert editor.titles()[0] == "1  interact shrine"
    editor.list.cursor_row = editor.list.row_of(("nodes", 0))
    editor.press(Qt.Key.Key_Down, CONTROL)
    assert [title[3:] for title in editor.titles()[:2]] == ["interact switch", "interact shrine"]


def test_a_node_is_dragged_over_the_ground_of_the_world(editor, plan_file):
    editor.open(plan_file)
    world = editor.window.world
    editor.until(lambda: editor.editing.vocabulary.actors)
    world.see_all()
    world.grab()
    markers = world.markers
    node = next(one for one in editor.panel.controller.places() if one.is_location)
    begin = markers._pixel(node, world.scene, markers._view())
    end = begin + QPointF(60, 20)
    QTest.mousePress(world, LEFT, pos=begin.toPoint())
    assert markers.holds
    QTest.mouseMove(world, (begin + QPointF(20, 5)).toPoint())
    QTest.mouseMove(world, end.toPoint())
    camera = world.camera.azimuth
    QTest.mouseRelease(world, LEFT, pos=end.toPoint())
    moved = next(one for one in editor.panel.controller.places() if one.is_location)
    there = markers._pixel(moved, world.scene, markers._view())
    assert (there - QPointF(end.toPoint())).manhattanLength() < 6
    assert moved.place[2] == 0.0
    assert world.camera.azimuth == camera
    editor.press(Qt.Key.Key_Z, CONTROL)
    assert editor.editing.text == TEXT


@pytest.mark.slow
def test_a_node_that_goes_to_an_actor_is_not_dragged_and_that_is_reported(editor, plan_file):
    editor.open(plan_file)
    world = editor.window.world
    editor.until(lambda: editor.editing.vocabulary.actors)
    world.see_all()
    world.grab()
    node = next(one for one in editor.panel.controller.places() if not one.is_location)
    at = world.markers._pixel(node, world.scene, world.markers._view())
    QTest.mousePress(world, LEFT, pos=at.toPoint())
    QTest.mouseRelease(world, LEFT, pos=at.toPoint())
    assert any("goes to an actor" in result for result in editor.said)
    assert editor.editing.text == TEXT


def test_what_is_wrong_is_reported_at_its_row_with_the_nearest_name(editor, plan_file):
    editor.open(plan_file)
    editor.type(("nodes", 2), "actor", "shrin")
    editor.until(lambda: editor.editing.problems)
    assert editor.wrong() == [
        ("line 8: there is no actor 'shrin': did you mean 'shrine'?", ("nodes", 2))
    ]  # fmt: skip
    editor.press(Qt.Key.Key_Z, CONTROL)
    editor.until(lambda: not editor.editing.problems)
    assert not editor.wrong()


def test_what_can_be_chosen_is_what_the_game_has(editor, plan_file):
    editor.open(plan_file)
    editor.until(lambda: editor.editing.vocabulary.actors)
    assert {"switch", "shrine", "enemy"} <= {*editor.editing.choices(("nodes", 0), "actor")}
    assert editor.editing.choices(("nodes", 0), "action") == ["interact"]
    assert "teleport" in editor.editing.choices(("nodes", 0), "movement")
    editor.click(("nodes", 0))
    editor.click(("nodes", 0), "actor")
    completer = editor.list._editor.completer()
    assert completer is not None
    assert completer.model().rowCount() > 5
    QTest.keyClick(editor.list._editor, Qt.Key.Key_Return)


@pytest.mark.slow
def test_what_is_typed_and_can_be_no_value_changes_nothing(editor, plan_file):
    editor.open(plan_file)
    editor.type(("nodes", 1), "wait", "soon")
    assert any("'soon' is no number" in result for result in editor.said)
    assert editor.editing.text == TEXT


@pytest.mark.parametrize(
    ("text", "message"),
    [("nodes: [", "no YAML"), ("- 1\n", "a plan is a mapping"), ("\xff", "can't be read"),
     (None, "can't be read")],
)  # fmt: skip
def test_a_bad_file_is_reported_and_what_was_edited_stays(
    editor, plan_file, tmp_path, text, message
):
    editor.open(plan_file)
    bad = tmp_path / "bad.plan.yaml"
    if text is not None:
        bad.write_bytes(text.encode("latin-1"))
    editor.editing.open(bad)
    assert any(message in one and "bad.plan.yaml" in one for one in editor.said)
    assert editor.editing.path == plan_file


def test_a_plan_whose_game_is_missing_can_be_edited_and_says_so(editor, tmp_path):
    path = tmp_path / "lost.plan.yaml"
    path.write_text("game: nowhere:game\nnodes:\n  - {actor: a}\n", "utf-8")
    editor.open(path)
    editor.until(lambda: editor.wrong())
    assert "nowhere" in editor.wrong()[0][0]
    editor.type(("nodes", 0), "actor", "b")
    assert editor.titles() == ["1  go to b"]


@pytest.mark.slow
def test_a_plan_that_names_no_game_says_so(editor, tmp_path):
    path = tmp_path / "any.plan.yaml"
    path.write_text("nodes:\n  - {actor: a}\n", "utf-8")
    editor.open(path)
    editor.until(lambda: editor.wrong())
    assert "names no game" in editor.wrong()[0][0]


def test_a_file_that_can_not_be_written_keeps_the_edits(editor, plan_file, tmp_path):
    editor.open(plan_file)
    editor.editing.set_field(("nodes", 0), "wait", 2)
    (tmp_path / "in.the.way").write_text("", "utf-8")
    assert not editor.editing.save(tmp_path / "in.the.way" / "level.plan.yaml")
    assert any("can't be written" in result for result in editor.said)
    assert editor.editing.is_unsaved


@pytest.mark.slow
def test_two_hundred_nodes_are_listed_scrolled_and_edited(editor, tmp_path):
    path = tmp_path / "long.plan.yaml"
    nodes = "".join(f"  - {{location: [{at}, 0, 0]}}\n" for at in range(200))
    path.write_text(f"game: arena:dungeon\nnodes:\n{nodes}", "utf-8")
    editor.open(path)
    assert len(editor.titles()) == 200
    editor.type(("nodes", 199), "wait", "1")
    assert parse_plan(editor.editing.text).plan.nodes[199].wait == 1
    editor.editing.move(("nodes", 199), 0)
    assert parse_plan(editor.editing.text).plan.nodes[0].wait == 1
    assert not editor.list.grab().isNull()
    assert not editor.list.error_text
    editor.window.world.grab()
    assert not editor.window.world.error_text


def test_edits_that_no_file_has_are_asked_about_before_they_are_lost(
    editor, plan_file, monkeypatch
):
    from playhead.viewer.toolkit.qt import QMessageBox

    answers = [QMessageBox.StandardButton.Cancel, QMessageBox.StandardButton.Discard]
    monkeypatch.setattr(plan_panel.QMessageBox, "question", lambda *_: answers.pop(0))
    editor.open(plan_file)
    editor.editing.set_field(("nodes", 0), "wait", 2)
    editor.panel.buttons["Close"].click()
    assert editor.editing.document is not None
    editor.panel.buttons["Close"].click()
    assert editor.editing.document is None
    assert not answers


def test_the_plan_is_still_edited_when_another_recording_is_opened(editor, plan_file, failed_clip):
    editor.open(plan_file)
    editor.editing.set_field(("nodes", 0), "wait", 2)
    editor.window.view(str(failed_clip))
    editor.until(lambda: editor.window.store.is_settled)
    shown = [row.title for row in editor.window.plan.list.rows]
    assert "1  interact switch · wait 2" in shown
    editor.editing.undo_stack.undo()
    assert editor.editing.text == TEXT


@pytest.mark.slow
def test_a_plan_is_run_from_the_panel_and_shown_from_the_chosen_node_on(editor, plan_file):
    editor.open(plan_file)
    editor.editing.delete(("nodes", 2))  # the lava is in its way
    old = editor.window.store
    editor.editing.run(show=2)
    assert editor.editing.running == "run"
    assert editor.panel.buttons["Stop"].isEnabled()
    editor.until(lambda: not editor.editing.running)
    editor.until(lambda: editor.window.store is not old and editor.window.store.is_settled)
    made = editor.window
    record = lambda: made.plan.controller.record  # noqa: E731
    editor.until(lambda: record() is not None and record().progress.node == 2)
    assert record().progress.doing.startswith("node 2")
    assert len(made.plan.controller.record.plan.nodes) == 2
    assert Path(made.store.target.location).name == "run.mcap"


@pytest.mark.slow
def test_a_run_from_a_node_that_needs_those_before_it_says_so(editor, plan_file):
    editor.open(plan_file)
    old = editor.window.store
    editor.editing.toggle(("nodes", 2))
    editor.panel.buttons["From here"].click()
    editor.until(lambda: not editor.editing.running)
    assert any("Node 3 can't be reached without those before it" in said for said in editor.said)
    editor.until(lambda: editor.window.store is not old and editor.window.store.is_settled)
    record = lambda: editor.window.plan.controller.record  # noqa: E731
    editor.until(lambda: record() is not None)
    assert record().progress.begin == 3
    rows = [row.summary for row in editor.window.plan.list.rows]
    assert any(row.startswith("– 1 ") and row.endswith("skipped") for row in rows), rows


@pytest.mark.slow
def test_a_run_from_a_node_skips_those_before_it_and_finishes(editor, tmp_path):
    path = tmp_path / "short.plan.yaml"
    path.write_text(
        "game: arena:dungeon\nnodes:\n"
        "  - {actor: shrine, action: interact}\n"
        "  - {actor: notice, action: talk}\n",
        "utf-8",
    )
    editor.open(path)
    old = editor.window.store
    editor.click(("nodes", 1))
    editor.panel.buttons["From here"].click()
    assert editor.editing.running == "run"
    editor.until(lambda: not editor.editing.running)
    editor.until(lambda: editor.window.store is not old and editor.window.store.is_settled)
    made = editor.window
    editor.until(lambda: made.plan.controller.record is not None)
    made.store.send(SeekFrame(made.store.history.span.newest))
    editor.until(lambda: made.store.frame == made.store.history.span.newest)
    progress = made.plan.controller.record.progress
    assert (progress.begin, progress.failure) == (2, "")
    assert progress.validations == ("none", "passed")
    rows = [row.summary for row in made.plan.list.rows if row.kind is PlanRowKind.NODE]
    assert rows[0].startswith("– 1 ")
    assert rows[0].endswith("skipped")
    assert rows[1] == "✓ 2  talk notice   passed"
    assert not any("can't be reached" in said for said in editor.said)


@pytest.mark.slow
def test_a_run_that_can_not_begin_says_why_and_one_can_be_stopped(editor, plan_file):
    editor.open(plan_file)
    editor.editing.set_field(("nodes", 0), "actor", "nobody")
    editor.panel.buttons["Run"].click()
    editor.until(lambda: not editor.editing.running)
    assert any("did not run" in result and "nobody" in result for result in editor.said)
    editor.panel.buttons["Run"].click()
    editor.panel.buttons["Run"].click()
    editor.panel.buttons["Stop"].click()
    editor.until(lambda: not editor.editing.running)


@pytest.mark.slow
def test_steps_in_english_are_put_behind_the_chosen_node(editor, plan_file):
    editor.open(plan_file)
    editor.editing.toggle(("nodes", 0))
    editor.editing.read_text("Talk to the warning sign.\n")
    editor.until(lambda: not editor.editing.running)
    assert len(editor.titles()) == 4, editor.said
    assert editor.titles()[1].startswith("2  talk ")
    editor.editing.read_text("Paint the moon green.\n")
    editor.until(lambda: not editor.editing.running)
    assert len(editor.titles()) == 4
    assert editor.said[-1].startswith("Line 1: 'Paint the moon green.': ")
    assert editor.editing.steps == "Paint the moon green.\n", "to be asked for again"


@pytest.mark.slow
def test_steps_are_asked_for_by_a_dialog(editor, plan_file, monkeypatch):
    asked, answers = [], [("never read", False), ("  \n", True), ("Read the warning.\n", True)]

    def answer(parent, title, label, text):
        asked.append((title, text))
        return answers.pop(0)

    monkeypatch.setattr(plan_panel.QInputDialog, "getMultiLineText", answer)
    editor.open(plan_file)
    for _ in range(2):
        editor.panel.buttons["Text …"].click()
        assert not editor.editing.running, "cancelled, or nothing was typed"
    editor.click(("nodes", 1))
    editor.panel.buttons["Text …"].click()
    assert editor.editing.running == "text"
    assert not editor.panel.buttons["Text …"].isEnabled()
    editor.until(lambda: not editor.editing.running)
    assert asked == [("Text to plan", "")] * 3
    assert len(editor.titles()) == 4, editor.said
    assert editor.titles()[2].startswith("3  talk warning")
    assert editor.editing.undo_stack.undoText() == "Insert the steps"
    editor.press(Qt.Key.Key_Z, CONTROL)
    assert editor.editing.text == TEXT


def test_a_new_plan_is_begun_for_the_game_that_is_viewed_edited_and_saved(
    editor, tmp_path, monkeypatch
):
    path = tmp_path / "mine.plan.yaml"
    asked = []

    def answer(parent, title, name, kinds):
        asked.append(name)
        return str(path), kinds

    monkeypatch.setattr(plan_panel.QFileDialog, "getSaveFileName", answer)
    [new] = [one for one in editor.panel.plans().actions() if one.text() == "New plan"]
    new.trigger()
    editor.until(lambda: editor.list.rows)
    assert editor.titles() == ["1  go to 0, 0, 0"]
    assert editor.editing.name == "new plan *"
    editor.until(lambda: "switch" in editor.editing.vocabulary.types)
    editor.type(("nodes", 0), "actor", "switch")
    editor.type(("nodes", 0), "action", "interact")
    editor.panel.buttons["Save"].click()
    assert asked == ["level.plan.yaml"]
    plan = load_plan(path).plan
    assert plan.game == "arena:dungeon"
    assert [node.title for node in plan.nodes] == ["interact switch"]
    assert editor.editing.path == path
    assert not editor.editing.is_unsaved


@pytest.mark.slow
def test_a_recorded_play_is_put_into_the_plan(editor, plan_file, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    editor.open(plan_file)
    editor.panel.buttons["Record"].click()
    assert editor.editing.running == "record"
    editor.until(lambda: not editor.editing.running)
    assert len(editor.titles()) > 3, editor.said
    editor.editing.undo_stack.undo()
    assert editor.editing.text == TEXT
