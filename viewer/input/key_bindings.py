"""Key bindings: which key does what, by the table's defaults and the user's settings."""

import re
from collections.abc import Mapping

from ...errors import CommandError
from ...recorder.text.name_hint import name_hint
from .action_table import ACTIONS, BY_ID, KeyAction

_MODIFIERS = ("Ctrl", "Alt", "Shift")
_NAMED = frozenset((
    "Space", "Left", "Right", "Up", "Down", "Home", "End", "PageUp", "PageDown", "Tab", "Insert",
    "Delete", "Backspace", "Enter", "Escape", *(f"F{number}" for number in range(1, 13)),
))  # fmt: skip
SIGNS = frozenset("?+=-[],.;'/\\<>:*#!&%$")
"""Where these stand differs by keyboard: Shift is part of how one types them."""
_FIXED = frozenset(("Up", "Down", "Enter", "Escape", "PageUp", "PageDown", "Backspace", "Delete"))
"""Panels and text fields use these bare ones themselves."""
_LETTER = re.compile(r"[A-Z0-9]")


def normal(text: str) -> str:
    """A key as the tables name it, such as `Ctrl+Shift+O`, from a user's text.

    Raises:
        CommandError: it names no key.
    """
    typed = text.strip()
    parts = ["+"] if typed == "+" else typed.split("+")
    if typed.endswith("++"):
        parts = [*typed[:-2].split("+"), "+"]
    *held, key = (part.strip() for part in parts)
    names = {name.casefold(): name for name in (*_MODIFIERS, *_NAMED)}
    modifiers = {names.get(one.casefold(), one) for one in held}
    key = key.upper() if len(key) == 1 else names.get(key.casefold(), key)
    known = key in _NAMED or key in SIGNS or bool(_LETTER.fullmatch(key))
    if not known or not modifiers <= set(_MODIFIERS):
        raise CommandError(f"{text!r} names no key: write it as Ctrl+Shift+O, Alt+Left, F5, N or ]")
    # As keys are read: the modifier that is looked at last comes first.
    return "+".join([*(one for one in _MODIFIERS if one in modifiers), key])


class KeyBindings:
    """The keys of one user.

    A key that would have two meanings keeps the one it has by default, and `errors` names both.

    Args:
        overrides: Keys by the action's id, as the settings have them; an empty one takes the
            action's keys away.
    """

    def __init__(self, overrides: Mapping[str, str] | None = None) -> None:
        self.errors: list[str] = []
        """What of the overrides could not be, in lines to be read."""
        self._own: dict[str, tuple[str, ...]] = {}
        for id, text in (overrides or {}).items():
            try:
                self._own[id] = self._parse_keys(id, text)
            except CommandError as error:
                self.errors.append(str(error))
        self._settle()
        self._actions = {key: action for action in ACTIONS for key in self.keys_of(action)}

    def _parse_keys(self, id: str, text: str) -> tuple[str, ...]:
        if id not in BY_ID:
            raise CommandError(f"keys: there is no action {id!r}: {name_hint(id, BY_ID)}")
        if BY_ID[id].fixed:
            raise CommandError(f"keys: {id} stays on {BY_ID[id].keys[0]}")
        if not text.strip():
            return ()
        key = normal(text)
        if key in _FIXED:
            raise CommandError(f"keys: {key} is for panels and text fields; give {id} another key")
        return (key,)

    def _settle(self) -> None:
        """Take back overrides until no key has two meanings."""
        while True:
            taken: dict[str, list[KeyAction]] = {}
            for action in ACTIONS:
                for key in self.keys_of(action):
                    taken.setdefault(key, []).append(action)
            clash = next(((key, both) for key, both in taken.items() if len(both) > 1), None)
            if clash is None:
                return
            key, both = clash
            # Defaults don't clash with one another: one of the two is an override.
            loser = next(action for action in reversed(both) if action.id in self._own)
            other = next(action for action in both if action is not loser)
            del self._own[loser.id]
            stays = loser.keys[0] if loser.keys else "without a key"
            self.errors.append(
                f"keys: {key} can't be both {loser.id} ({loser.help}) and {other.id}"
                f" ({other.help}); {loser.id} stays {stays}"
            )

    def keys_of(self, action: KeyAction) -> tuple[str, ...]:
        """The keys of an action; the first one is shown."""
        return self._own.get(action.id, action.keys)

    def key_of(self, id: str) -> str:
        """An action's key, for people; empty if it has none."""
        keys = self.keys_of(BY_ID[id])
        return keys[0] if keys else ""

    def action(self, key: str) -> KeyAction | None:
        """What a key does; None if nothing."""
        return self._actions.get(key)

    def check(self, id: str, key: str) -> str:
        """A key as it is named, if an action can have it.

        Raises:
            CommandError: it names no key, or it does something else; says what.
        """
        (binding,) = self._parse_keys(id, key) or ("",)
        other = self._actions.get(binding)
        if other is not None and other.id != id:
            raise CommandError(
                f"{binding} is {other.help} ({other.id}): give that another key first, or take"
                f" another one for {BY_ID[id].help}"
            )
        return binding
