"""Patches the environments of Gymnasium and PettingZoo: a step of one is a frame.

Classes are patched, not environments: a program finds its own objects, of the classes and with the
names that they have. Of calls within each other, as wrappers make them, the outermost is recorded.
"""

import functools
import weakref
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from ...adapters.environments.recorded_environment import RecordedEnvironment
from ..frame_boundary_kind import FrameBoundaryKind
from ..unmodified_program_recorder import ProgramRecorder

RecordedCall = Callable[[Any, Any, Callable[[], Any], tuple[Any, ...], dict[str, Any]], Any]
"""How a call of a method is recorded, from what records the environment, the environment, what
calls it, and its arguments."""


class EnvironmentPatch:
    """Patches a class of environments, and all classes that are derived from it, also later.

    Args:
        kind: What it is called when it is recognised.
        records: Makes what records an environment.
        calls: How each method is recorded.
    """

    def __init__(
        self, kind: str, recorder: ProgramRecorder, records: Callable[[Any], Any],
        calls: dict[str, RecordedCall],
    ) -> None:  # fmt: skip
        self._kind = kind
        self._recorder = recorder
        self._make = records
        self._calls = calls
        self._known: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        """What records each environment, by its innermost one."""

    def apply(self, base: Any) -> None:
        """Patch a class and its subclasses."""
        original = base.__dict__.get("__init_subclass__")

        def init_subclass(cls: Any, /, **named: Any) -> None:
            if original is None:
                super(base, cls).__init_subclass__(**named)
            else:
                original.__get__(None, cls)(**named)
            self._patch(cls)

        base.__init_subclass__ = classmethod(init_subclass)
        self._patch_all(base)

    def _patch_all(self, cls: Any) -> None:
        self._patch(cls)
        for sub in cls.__subclasses__():
            self._patch_all(sub)

    def _patch(self, cls: Any) -> None:
        if issubclass(cls, RecordedEnvironment):
            return  # a wrapper of playhead's own records by itself
        for name, call in self._calls.items():
            original = cls.__dict__.get(name)
            if isinstance(original, FunctionType):
                setattr(cls, name, self._patched(original, call))

    def _patched(self, original: FunctionType, call: RecordedCall) -> Any:
        @functools.wraps(original)
        def method(env: Any, *args: Any, **named: Any) -> Any:
            recorder = self._recorder
            if not recorder.records_here or recorder.is_within:
                return original(env, *args, **named)
            record = self._record_of(env)
            with recorder.within():
                if record is None:
                    return original(env, *args, **named)
                return call(record, env, lambda: original(env, *args, **named), args, named)

        return method

    def _record_of(self, env: Any) -> Any:
        recorder = self._recorder
        inner = getattr(env, "unwrapped", env)
        try:
            found = self._known.get(inner)
            if found is None:
                recorder.is_source(FrameBoundaryKind.ENVIRONMENT)
                recorder.objects.leave_variables()
                fps = getattr(env, "metadata", {}).get("render_fps")
                recorder.step_is(1 / fps if isinstance(fps, int | float) and fps > 0 else None)
                if not recorder.begin():
                    return None
                found = self._known[inner] = self._make(env)
                recorder.recognition.found(self._kind, _name(env))
        except Exception as error:
            recorder.refuse(f"looking at {type(inner).__name__}", error)
            return None
        return found


def _name(env: Any) -> str:
    spec = getattr(env, "spec", None)
    named = getattr(spec, "id", None) or getattr(env, "metadata", {}).get("name")
    return str(named or type(getattr(env, "unwrapped", env)).__name__)


def _first(args: tuple[Any, ...], named: dict[str, Any], name: str) -> Any:
    return args[0] if args else named.get(name)


def _seed(args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    return _first(args, named, "seed")


def patch_gymnasium(core: ModuleType, recorder: ProgramRecorder) -> None:
    """Patch `gymnasium.Env`."""

    def records(env: Any) -> Any:
        from ...adapters.environments.gymnasium_wrapper import EnvironmentSteps

        return EnvironmentSteps(env, recorder)

    EnvironmentPatch("gymnasium environment", recorder, records, {
        "reset": lambda record, env, call, args, named: record.reset(call, _seed(args, named)),
        "step": lambda record, env, call, args, named: record.step(
            call, _first(args, named, "action")
        ),
    }).apply(core.Env)  # fmt: skip


def patch_gymnasium_vector(module: ModuleType, recorder: ProgramRecorder) -> None:
    """Patch `gymnasium.vector.VectorEnv`."""

    def records(env: Any) -> Any:
        from ...adapters.environments.gymnasium_vector_wrapper import VectorSteps

        return VectorSteps(env, recorder)

    EnvironmentPatch("gymnasium vector environment", recorder, records, {
        "reset": lambda record, env, call, args, named: record.reset(
            call, _seed(args, named), named.get("options")
        ),
        "step": lambda record, env, call, args, named: record.step(
            call, _first(args, named, "actions")
        ),
    }).apply(module.VectorEnv)  # fmt: skip


def patch_pettingzoo(module: ModuleType, recorder: ProgramRecorder) -> None:
    """Patch the `ParallelEnv` and the `AECEnv` of PettingZoo."""

    def parallel(env: Any) -> Any:
        from ...adapters.environments.pettingzoo_wrappers import ParallelSteps

        return ParallelSteps(env, recorder)

    def taking_turns(env: Any) -> Any:
        from ...adapters.environments.pettingzoo_wrappers import AECSteps

        return AECSteps(env, recorder)

    def observe(
        record: Any, env: Any, call: Callable[[], Any], args: tuple[Any, ...], named: dict[str, Any]
    ) -> Any:
        observation = call()
        record.observed(_first(args, named, "agent"), observation)
        return observation

    reset: RecordedCall = lambda record, env, call, args, named: record.reset(  # noqa: E731
        call, env, _seed(args, named)
    )
    EnvironmentPatch("pettingzoo environment", recorder, parallel, {
        "reset": reset,
        "step": lambda record, env, call, args, named: record.step(
            call, env, _first(args, named, "actions")
        ),
    }).apply(module.ParallelEnv)  # fmt: skip
    EnvironmentPatch("pettingzoo environment", recorder, taking_turns, {
        "reset": reset,
        "observe": observe,
        "step": lambda record, env, call, args, named: record.step(
            call, env, _first(args, named, "action")
        ),
    }).apply(module.AECEnv)  # fmt: skip
