"""Decisions of a game's own function of the inputs, given to `trace.decide`."""

from pathlib import Path
from typing import Any

from ...recorder.packets.reexecutable_decisions import DecisionResult
from ...recorder.text.enum_names import text_of
from .decider_loader import Decider, Inputs, function_of, loaded, member


def decider(settings: Any) -> Decider:
    """Calls the function that the settings name."""
    if settings["edit"]:
        name = settings["function"].rpartition(":")[2]
        module = loaded(Path(settings["edit"]), f"{Path(settings['edit']).stem}_edited")
        function = member(module, name, settings["edit"])
    else:
        function = function_of(
            settings["function"], settings.get("file", ""), is_trusted=settings["is_trusted"]
        )

    def decide(inputs: Inputs) -> DecisionResult:
        chosen = function(dict(inputs))
        if isinstance(chosen, DecisionResult):
            return chosen
        return DecisionResult("" if chosen is None else str(text_of(chosen)))

    return decide


def edited_settings(settings: Any, file: Path) -> Any:
    """A Python file that has a function of the same name."""
    return {**settings, "edit": str(file)}
