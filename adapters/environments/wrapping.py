"""Chooses the wrapper that records an environment. Imports a library only if it is in use."""

from typing import Any

from .environment_kinds import EnvironmentKind, environment_kind, not_wrapped
from .environment_recording import EnvironmentHost, is_recorded_by


def wrapped(env: Any, host: EnvironmentHost) -> Any:
    """An environment in the wrapper that records it; itself, if it is recorded already.

    Raises:
        RecordingError: it is no environment.
    """
    kind = environment_kind(env)
    if kind is None:
        raise not_wrapped(env)
    if is_recorded_by(env, host):
        return env
    # Each of these modules needs its library, which is loaded, since there is an environment of it.
    match kind:
        case EnvironmentKind.GYMNASIUM:
            from .gymnasium_wrapper import RecordingWrapper

            return RecordingWrapper(env, host)
        case EnvironmentKind.GYMNASIUM_VECTOR:
            from .gymnasium_vector_wrapper import RecordingVectorWrapper

            return RecordingVectorWrapper(env, host)
        case EnvironmentKind.PETTINGZOO_PARALLEL:
            from .pettingzoo_wrappers import RecordingParallelWrapper

            return RecordingParallelWrapper(env, host)
        case EnvironmentKind.PETTINGZOO_AEC:
            from .pettingzoo_wrappers import RecordingAECWrapper

            return RecordingAECWrapper(env, host)
        case EnvironmentKind.STABLE_BASELINES3:
            from .vec_env_wrapper import RecordingVecEnv

            return RecordingVecEnv(env, host)
