"""The hooks panel and the menus: on a running game, and on a clip that has a past only."""

from pathlib import Path

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.hooks.hook_definition import HookDefinition, HookState
from playhead.hooks.object_edits import AppliedEdit
from playhead.recording.decisions.decision_location import (
    FieldLocation,
    NodeLocation,
    RuleLocation,
    TransitionLocation,
)
from playhead.recording_session import record
from playhead.viewer.panels.hooks.hook_rows import hook_rows
from playhead.viewer.panels.hooks.hooks_panel import HooksPanel
from playhead.viewer.state.hook_controller import is_meant

from ...yard import LiveGame
from ..panel_harness import open_dock


def report(location, kind="break", **rest):
    spec = HookDefinition(kind=kind, location=location, object=7, result=rest.pop("result", None))
    return HookState(id=1, hook=spec, **rest)


def test_a_hook_is_listed_with_whose_it_is_what_it_gives_and_what_it_has_done():
    rows = hook_rows(
        [
            report(NodeLocation("attack"), "replace", result="failure", hits=3, last=9, text="did"),
            report(TransitionLocation("Patrol", ""), state="waiting", note="nobody is there"),
        ],
        [AppliedEdit(7, "hp", 20.0, 50.0), AppliedEdit(0, "/goal", 1, 2, is_key=True)],
        {7: "guard 7"},
    )
    assert [(row.text, row.note) for row in rows] == [
        ("node 'attack' · guard 7 ⇒ failure", "3 times · did"),
        ("transition Patrol -> any · guard 7", "waiting: nobody is there"),
        ("Edited, and not run on yet", ""),
        ("guard 7 · hp", "20.0 → 50.0"),
        ("/goal", "1 → 2"),
    ]
    assert rows[0].frame == 9


@pytest.mark.parametrize(
    ("hooked", "location", "meant"),
    [
        (NodeLocation("a"), NodeLocation("a", 3, "mind"), True),
        (NodeLocation("a", -1, "other"), NodeLocation("a", 3, "mind"), False),
        (NodeLocation("", 3), NodeLocation("a", 3, "mind"), True),
        (TransitionLocation("", "B"), TransitionLocation("A", "B", "m"), True),
        (TransitionLocation("B", ""), TransitionLocation("A", "B", "m"), False),
        (RuleLocation("r"), RuleLocation("r", "m"), True),
        (FieldLocation("hp"), FieldLocation("hp"), True),
        (FieldLocation("hp"), NodeLocation("hp"), False),
    ],
)
def test_a_menu_knows_which_hooks_act_on_a_place(hooked, location, meant):
    assert is_meant(hooked, location) is meant


class Guard:
    def __init__(self) -> None:
        self.name, self.hp = "guard", 9.0


def test_on_a_clip_only_the_past_is_asked(app, until, tmp_path: Path):
    guard = Guard()
    with record([guard], tmp_path / "a.mcap", dt=0.1, strict=True) as rec:
        for _ in range(5):
            with rec.frame():
                guard.hp -= 1
    with open_dock(app, until, HooksPanel, tmp_path / "a.mcap") as dock:
        assert "running game" in dock.panel.text()
        [hooks] = dock.panel.controller.menu(1, FieldLocation("hp"))
        [(past, ask), (why, _)] = hooks.actions
        assert past == "How often so far"
        assert "need the running game" in why
        ask()
        until(lambda: dock.messages)
        assert dock.messages == ["field hp: 4 times, frames 2 to 5; at the end, frame 5: 4"]


def test_a_hook_of_a_menu_is_listed_switched_and_gone_with_the_viewer(app, until):
    game = LiveGame()
    try:
        with open_dock(app, until, HooksPanel, game.endpoint) as dock:
            controller = dock.panel.controller
            until(lambda: dock.store.snapshot)
            object = next(iter(dock.store.snapshot.objects))
            [hooks] = controller.menu(object, FieldLocation("position.x"))
            dict(hooks.actions)["Trace it in the log"]()
            until(lambda: controller.hooks)
            [hook] = controller.hooks
            assert hook.hook.kind == "trace"
            assert hook.owner
            dock.click(10, dock.middle(0))
            until(lambda: controller.hooks[0].state == "disabled")
            controller.edit(object, "position.x", 1)
            until(lambda: dock.messages)
            assert "the game runs: pause it" in dock.messages[0]
            dock.panel.grab()
            assert not dock.panel.error_text
        until(lambda: not game.session.hooks.report.hooks)
    finally:
        game.close()
