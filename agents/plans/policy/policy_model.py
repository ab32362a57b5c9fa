"""A trained navigation policy as plain arrays: one small file that needs only numpy."""

import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ....errors import PlanError
from ....games.walkable_grid import DIRECTIONS
from .grid_sensor import CHANNELS, REACH, STRIDE, TARGET, Floats32

FORMAT = 1
SHIPPED = "shipped"
"""What the model that comes along is called."""
LARGEST = 16 << 20
"""Bytes that a model file may have."""


class Layer(NamedTuple):
    """A linear layer of a network."""

    weight: Floats32
    bias: Floats32


class Judgement(NamedTuple):
    """What a policy makes of one observation."""

    probabilities: Floats32
    """One for each step, in the order of `DIRECTIONS`."""
    value: float
    """The reward that it expects from there on."""


class PolicyModel(NamedTuple):
    """The policy's two networks, and the sensor that they were trained with."""

    reach: int
    stride: int
    policy: tuple[Layer, ...]
    value: tuple[Layer, ...]
    trained_on: str = ""

    def judge(self, observation: Floats32) -> Judgement:
        """How good each step looks from there."""
        scores = _forward(self.policy, observation)
        odds = np.exp(scores - scores.max())
        return Judgement(odds / odds.sum(), float(_forward(self.value, observation)[0]))

    def scores(self, observations: Floats32) -> Floats32:
        """The policy network's scores of each step, for observations in rows."""
        return _forward(self.policy, observations.T).T

    def save(self, path: str | Path) -> None:
        """Write it as a `*.npz` file.

        Raises:
            PlanError: it can't be written.
        """
        arrays: dict[str, np.ndarray] = {
            "format": np.array(FORMAT), "sensor": np.array([self.reach, self.stride]),
            "trained_on": np.array(self.trained_on),
        }  # fmt: skip
        for name in ("policy", "value"):
            for number, layer in enumerate(getattr(self, name)):
                arrays[f"{name}{number}.weight"] = layer.weight.astype(np.float16)
                arrays[f"{name}{number}.bias"] = layer.bias.astype(np.float16)
        try:
            with open(path, "wb") as file:
                np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
        except OSError as error:
            raise PlanError(f"{path}: the policy can't be written: {error.strerror}") from error


def load_policy(name: str | Path = SHIPPED) -> PolicyModel:
    """The model in a file, or the one that comes along.

    Raises:
        PlanError: there is none, it is no policy, or it is for another sensor.
    """
    path = Path(__file__).parent / "shipped" / "policy.npz" if name == SHIPPED else Path(name)
    try:
        if path.stat().st_size > LARGEST:
            raise PlanError(f"{path} is no policy: it has {path.stat().st_size:,} bytes")
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            found = {key: arrays[key] for key in arrays.files}
    except OSError as error:
        raise PlanError(f"{path}: the policy can't be read: {error.strerror or error}") from error
    except (ValueError, EOFError, zipfile.BadZipFile, TypeError, KeyError) as error:
        raise PlanError(
            f"{path} is no complete policy file: make one with `playhead train`"
        ) from error
    return _checked(found, path)


def _checked(arrays: dict[str, np.ndarray], path: Path) -> PolicyModel:
    try:
        version = int(arrays["format"])
        reach, stride = (int(value) for value in arrays["sensor"])
        trained_on = str(arrays["trained_on"])
        policy, value = _layers(arrays, "policy"), _layers(arrays, "value")
    except (KeyError, TypeError, ValueError) as error:
        raise PlanError(
            f"{path} is no policy, it has no {error}: make one with `playhead train`"
        ) from error
    if version != FORMAT:
        raise PlanError(f"{path} is a policy of format {version}; this playhead reads {FORMAT}")
    if (reach, stride) != (REACH, STRIDE):
        raise PlanError(
            f"{path} was trained with another grid sensor: it reaches {reach} cells with stride"
            f" {stride}, and this one {REACH} with stride {STRIDE}; train it again"
        )
    seen = 2 * len(CHANNELS) * (2 * reach + 1) ** 2 + len(TARGET)
    for name, layers, out in (("policy", policy, len(DIRECTIONS)), ("value", value, 1)):
        width = seen
        for layer in layers:
            if layer.weight.shape != (len(layer.bias), width):
                raise PlanError(
                    f"{path} is no policy for this sensor: a layer of its {name} network takes"
                    f" {layer.weight.shape[-1]} numbers, and there are {width}"
                )
            width = len(layer.bias)
        if width != out:
            raise PlanError(f"{path} is no policy: its {name} network gives {width} numbers")
        if not all(np.isfinite(part).all() for layer in layers for part in layer):
            raise PlanError(
                f"{path} is no policy: weights of its {name} network are not finite; train it again"
            )
    return PolicyModel(reach, stride, policy, value, trained_on)


def _layers(arrays: dict[str, np.ndarray], name: str) -> tuple[Layer, ...]:
    count = sum(key.startswith(name) and key.endswith(".weight") for key in arrays)
    if not count:
        raise KeyError(f"{name} network")
    found = []
    for number in range(count):
        weight, bias = arrays[f"{name}{number}.weight"], arrays[f"{name}{number}.bias"]
        if weight.ndim != 2 or bias.ndim != 1:
            raise ValueError(f"layer {number} of its {name} network")
        found.append(Layer(weight.astype(np.float32), bias.astype(np.float32)))
    return tuple(found)


def _forward(layers: tuple[Layer, ...], values: Floats32) -> Floats32:
    for layer in layers[:-1]:
        values = np.tanh(_linear(layer, values))
    return _linear(layers[-1], values)


def _linear(layer: Layer, values: Floats32) -> Floats32:
    """One layer, for one observation or for many in columns."""
    bias = layer.bias if values.ndim == 1 else layer.bias[:, None]
    result: Floats32 = layer.weight @ values + bias
    return result
