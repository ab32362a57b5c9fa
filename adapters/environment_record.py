"""Records a learning environment: actions, observations, rewards and episodes."""

import logging
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np

from ..errors import RecordingError
from ..installation import install_line
from ..recorder.text.safe_log import log_safely
from ..recorder.text.terminal_text import with_article
from .inspection import ReadOnlyFields
from .value_kind import MOST_IN_ARRAY, kind_of

_logger = logging.getLogger("playhead")


class EnvironmentRecord(ReadOnlyFields, dict[str, Any]):
    """The newest step of an environment, as an object of the recording: plain values by name.

    It has `episode`, `step` within it, `action`, `observation`, `reward`, `total_reward` of the
    episode so far, `terminated` and `truncated`. Spaces of several parts have a field for each. Of
    an array of more than 64 numbers there are its least, mean and largest one.
    """

    def __init__(self, label: str) -> None:
        super().__init__()
        self.label = label
        self._warned: set[str] = set()
        self.update(
            episode=0, step=0, action=None, reward=0.0, total_reward=0.0, terminated=False,
            truncated=False,
        )  # fmt: skip

    @property
    def has_ended(self) -> bool:
        """Whether the episode has ended."""
        return bool(self["terminated"] or self["truncated"])

    def begin(self, observation: Any) -> None:
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
        number = float(reward)
        self.update(
            step=self["step"] + 1, reward=number, total_reward=self["total_reward"] + number,
            terminated=bool(terminated), truncated=bool(truncated),
        )  # fmt: skip
        self._watch("action", action)
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


def record_class(name: str) -> type[EnvironmentRecord]:
    """A class of records with a name of its own, which is the type's in the recording."""
    return type(name, (EnvironmentRecord,), {"__module__": __name__})


def is_environment(thing: Any) -> bool:
    """Whether something is an environment of Gymnasium."""
    gymnasium = sys.modules.get("gymnasium")
    return gymnasium is not None and isinstance(thing, gymnasium.Env)


def is_vector_environment(thing: Any) -> bool:
    """Whether something is many environments of Gymnasium at once."""
    vector = sys.modules.get("gymnasium.vector")
    return vector is not None and isinstance(thing, vector.VectorEnv)


def not_wrapped(thing: Any) -> RecordingError:
    """The error for something that is no environment of Gymnasium."""
    kind = with_article(type(thing).__name__)
    problem = f"{thing!r:.80} is {kind}, and wrap() takes environments of Gymnasium"
    if find_spec("gymnasium") is None:
        line = install_line("agents")
        return RecordingError(f"{problem}, which is not installed. Install it: {line}")
    return RecordingError(f"{problem}; rec.add(thing) records other things")
