"""Chooses the wrapper that records an environment. Imports a library only if it is in use."""

from typing import Any

from ...errors import RecordingError
from ...installation import install_line
from .environment_kinds import EnvironmentKind, environment_kind, not_wrapped
from .recorded_environment import EnvironmentHost, is_recorded_by
from .trained_environment_registry import TrainedEnvironments


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
            from .stable_baselines3_wrapper import RecordingVecEnv

            return RecordingVecEnv(env, host)


def training_callback(
    host: EnvironmentHost | None, known: TrainedEnvironments | None = None
) -> Any:
    """A callback of stable-baselines3 that records a model's training; one that records nothing if
    there is no session.

    Args:
        known: What the session records of environments that models are trained on.

    Raises:
        RecordingError: stable-baselines3 is not installed.
    """
    try:
        from .training_callback import RecordingCallback, SilentCallback
    except ImportError as error:
        raise RecordingError(
            f"training_callback() needs stable-baselines3: {install_line('rl')} ({error})"
        ) from None
    if host is None or known is None:
        return SilentCallback()
    return RecordingCallback(host, known)
