"""Records a learning environment: actions, observations, rewards and episodes."""

import logging
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...recorder.text.safe_log import log_safely
from ..field_inspection import ReadOnlyFields
from ..value_kind import MOST_IN_ARRAY, kind_of

_logger = logging.getLogger("playhead")


class EnvironmentRecord(ReadOnlyFields, dict[str, Any]):
    """The newest step of an environment, or of one agent in it: plain values by name.

    It has `episode`, `step` within it, `action`, `observation`, `reward`, `total_reward` of the
    episode so far, `terminated` and `truncated`. Spaces of several parts have a field for each. Of
    an array of more than 64 numbers there are its least, mean and largest one.

    Args:
        label: What log lines call it.
        name: What the object is called in the recording; by default it has no name.
    """

    def __init__(self, label: str, name: str = "") -> None:
        super().__init__()
        self.label = label
        if name:
            self["name"] = name
        self._warned: set[str] = set()
        self.update(
            episode=0, step=0, action=None, reward=0.0, total_reward=0.0, terminated=False,
            truncated=False,
        )  # fmt: skip

    @property
    def has_ended(self) -> bool:
        """Whether the episode has ended."""
        return bool(self["terminated"] or self["truncated"])

    def begin(self, observation: Any = None) -> None:
        """An episode begins."""
        self._clear("action")
        self.update(
            episode=self["episode"] + 1, step=0, action=None, reward=0.0, total_reward=0.0,
            terminated=False, truncated=False,
        )  # fmt: skip
        self._watch("observation", observation)

    def stepped(
        self, action: Any, observation: Any, reward: Any, terminated: Any, truncated: Any
    ) -> None:
        """A step was made."""
        self.rewarded(reward, terminated, truncated)
        self.acted(action)
        self.observed(observation)

    def rewarded(self, reward: Any, terminated: Any, truncated: Any) -> None:
        """A reward was given, by an action of its own or of another agent."""
        number = float(reward)
        self.update(
            reward=number, total_reward=self["total_reward"] + number,
            terminated=bool(terminated), truncated=bool(truncated),
        )  # fmt: skip

    def acted(self, action: Any) -> None:
        """It took an action, which is a step of its own."""
        self["step"] += 1
        self._watch("action", action)

    def observed(self, observation: Any) -> None:
        """It was given an observation."""
        self._watch("observation", observation)

    def _watch(self, name: str, value: Any) -> None:
        """Take over a value, in parts if it has any. A copy: the environment may use it again."""
        if isinstance(value, Mapping):
            for key, part in value.items():
                self._watch(f"{name}.{key}", part)
        elif isinstance(value, tuple) and not kind_of(value).fits:
            for index, part in enumerate(value):
                self._watch(f"{name}.{index}", part)
        elif isinstance(value, np.ndarray):
            self._watch_array(name, value)
        elif value is None or kind_of(value).fits:
            self[name] = value
        else:
            self._warn_once(name, f"a {type(value).__name__} is left out")

    def _watch_array(self, name: str, value: np.ndarray[Any, Any]) -> None:
        if value.ndim == 0:
            self[name] = value.item()
        elif 0 < value.size <= MOST_IN_ARRAY and kind_of(value).fits:
            self[name] = np.array(value)
        elif value.size and value.dtype.kind in "biuf":
            self._warn_once(name, f"of its {value.size} numbers there are least, mean and largest")
            numbers = value.astype(np.float64)
            self[f"{name}.min"] = float(numbers.min())
            self[f"{name}.mean"] = float(numbers.mean())
            self[f"{name}.max"] = float(numbers.max())
        else:
            self._warn_once(name, f"an array of {value.size} {value.dtype} is left out")

    def _clear(self, name: str) -> None:
        for key in [key for key in self if key == name or key.startswith(f"{name}.")]:
            del self[key]

    def _warn_once(self, name: str, text: str) -> None:
        if name not in self._warned:
            self._warned.add(name)
            log_safely(_logger, logging.INFO, "%s: %s: %s", self.label, name, text)
