"""Which library an environment comes from, without importing any of them."""

import sys
from enum import Enum
from importlib.util import find_spec
from typing import Any

from ...errors import RecordingError
from ...installation import install_line
from ...recorder.text.terminal_text import with_article


class EnvironmentKind(Enum):
    """The classes of environments that can be recorded: where each is defined, and its name."""

    GYMNASIUM = ("gymnasium", "Env")
    GYMNASIUM_VECTOR = ("gymnasium.vector", "VectorEnv")
    PETTINGZOO_PARALLEL = ("pettingzoo.utils.env", "ParallelEnv")
    PETTINGZOO_AEC = ("pettingzoo.utils.env", "AECEnv")
    STABLE_BASELINES3 = ("stable_baselines3.common.vec_env.base_vec_env", "VecEnv")


def environment_kind(thing: Any) -> EnvironmentKind | None:
    """What kind of environment something is; None if it is none.

    Nothing is imported for the answer: where there is an environment, its library is loaded.
    """
    for kind in EnvironmentKind:
        module, name = kind.value
        found = getattr(sys.modules.get(module), name, None)
        if isinstance(found, type) and isinstance(thing, found):
            return kind
    return None


def not_wrapped(thing: Any) -> RecordingError:
    """The error for something that is no environment."""
    kind = with_article(type(thing).__name__)
    problem = (
        f"{thing!r:.80} is {kind}, and wrap() takes environments of Gymnasium, PettingZoo and"
        " stable-baselines3"
    )
    if find_spec("gymnasium") is None:
        line = install_line("agents")
        return RecordingError(f"{problem}. Gymnasium is not installed: {line}")
    return RecordingError(f"{problem}; rec.add(thing) records other things")
