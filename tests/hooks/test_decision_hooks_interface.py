"""The calls that set and remove hooks, whoever carries them out."""

import pytest

from playhead.errors import CommandError
from playhead.hooks.decision_hooks_interface import HookManager
from playhead.hooks.hook_definition import HookDefinition, HookState
from playhead.recording.decisions.decision_location import location_of


class Hooks(HookManager):
    """Two hooks, one of which leaves with its tool as soon as the other is removed."""

    def __init__(self, refused: int = 0) -> None:
        hook = HookDefinition(kind="break", location=location_of(field="hp"))
        self.held = [HookState(id=1, hook=hook), HookState(id=2, hook=hook, owner="tool")]
        self.refused = refused

    def list(self):
        return [*self.held]

    def _set(self, object, spec):
        raise NotImplementedError

    def _change(self, id, change):
        if id == self.refused or all(one.id != id for one in self.held):
            raise CommandError(f"hook {id}: it is not set")
        self.held = []


def test_clear_passes_over_hooks_that_have_gone_meanwhile():
    hooks = Hooks()
    hooks.clear()
    assert hooks.list() == []


def test_clear_reports_a_hook_that_is_there_and_can_t_be_removed():
    with pytest.raises(CommandError, match="hook 1"):
        Hooks(refused=1).clear()
