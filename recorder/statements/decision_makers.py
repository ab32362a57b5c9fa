"""Names the function that makes a decision, so that it can be found again in another process."""

import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..packets.decisions import DecisionMaker

PLAIN_FUNCTION = "playhead.recording.decisions.plain_function:decider"
"""What calls a function of the inputs that a game has given to `trace.decide`."""


@lru_cache(maxsize=1024)
def maker_of(function: Callable[..., Any]) -> DecisionMaker:
    """Who makes a decision: a function of the inputs alone."""
    file, digest = _source(function)
    settings = {"function": reference(function), "file": file}
    return DecisionMaker(PLAIN_FUNCTION, settings, file, digest)


def maker_from(factory: Callable[..., Any], settings: Any = None) -> DecisionMaker:
    """Who makes a decision: what a function at the top of a module makes of plain settings."""
    return DecisionMaker(reference(factory), settings, *_source(factory))


def reference(function: Callable[..., Any]) -> str:
    """`module:function`, as far as a function tells it."""
    module = getattr(function, "__module__", None) or ""
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    return f"{module}:{name}"


def digest_of(file: str | Path) -> str:
    """A hash of what is in a source file; empty if it can't be read."""
    try:
        return hashlib.blake2b(Path(file).read_bytes(), digest_size=8).hexdigest()
    except (OSError, ValueError):
        return ""


@lru_cache(maxsize=1024)
def _source(function: Callable[..., Any]) -> tuple[str, str]:
    code = getattr(function, "__code__", None) or getattr(
        getattr(function, "__func__", None), "__code__", None
    )
    file = "" if code is None else code.co_filename
    return file, digest_of(file) if file else ""
