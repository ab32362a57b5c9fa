"""Observes what other libraries made: trees, state machines, simulations, surfaces."""

import logging
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from ..errors import RecordingError
from ..hooks.decision_hook_table import HookTable
from ..recorder.recorder import Recorder
from ..recorder.statements.instrumentation_interface import Draw
from ..recorder.text.safe_log import log_safely
from .behaviour_trees.tree_observer import TreeObserver, is_tree
from .environments.environment_kinds import environment_kind
from .environments.environment_recorder import EnvironmentRecord
from .environments.recorded_environment import record_class
from .environments.trained_environment_registry import TrainedEnvironments
from .observed_world import ObservedWorld
from .physics.recorded_simulation import Simulation, is_simulation, simulation_of
from .state_machines.machine_observer import MachineObserver, is_machine
from .windows.arcade_window import ArcadeWindow, WindowHost, is_arcade_window
from .windows.screen_pictures import ScreenPictures, is_surface

_logger = logging.getLogger("playhead.recording")


def is_of_library(thing: Any) -> bool:
    """Whether a thing is a library's, so that `LibraryObservers.add` observes it."""
    if is_tree(thing) or is_machine(thing) or is_surface(thing) or is_arcade_window(thing):
        return True
    return is_simulation(thing)


def refuse_environment(thing: Any) -> None:
    """See that something is no environment.

    Raises:
        RecordingError: it is one.
    """
    if environment_kind(thing) is not None:
        raise RecordingError(
            f"{thing!r:.80}: an environment is wrapped: env = rec.wrap(env), and step that one"
        )


class LibraryObservers:
    """What `RecordingSession.add` and `RecordingSession.wrap` observe beside ordinary objects.

    Args:
        world: Gets the objects that are recorded.
        hooks: Where trees and machines find the hooks on their decisions.
        host: The session, which windows make steps of.
    """

    def __init__(
        self, recorder: Recorder, world: ObservedWorld, hooks: HookTable, host: WindowHost
    ) -> None:
        self._recorder, self._world, self._hooks = recorder, world, hooks
        self._host = host
        self.screens = ScreenPictures(recorder)
        self._trees: list[TreeObserver] = []
        self._machines: list[MachineObserver] = []
        self._simulations: list[Simulation] = []
        self._windows: list[ArcadeWindow] = []
        self._environments: dict[str, type[EnvironmentRecord]] = {}
        """The class of what is recorded of environments, by their name."""
        self.trained: TrainedEnvironments = WeakKeyDictionary()
        """What is recorded of environments that models are trained on."""
        self._picture_names: set[str] = set()

    def add(self, thing: Any, agent: Any, name: str, camera: str | int | None) -> None:
        """Observe a thing; one that is of none of these libraries becomes objects of the world.

        Raises:
            RecordingError: it can't be recorded, or the agent is none.
        """
        if is_tree(thing):
            self._add_tree(thing, agent, name)
            return
        if is_machine(thing):
            self._add_machine(thing, agent, name)
            return
        if is_surface(thing):
            self.screens.add(thing, self.picture_name(name or "surface"))
            return
        if is_arcade_window(thing):
            self._add_window(thing, name)
            return
        simulation = simulation_of(thing, camera)
        if simulation is not None:
            self._add_simulation(simulation)
            return
        if camera is not None:
            raise RecordingError(
                f"add({type(thing).__name__}, camera={camera!r:.80}): cameras are those of MuJoCo's"
                " simulations, added as (model, data)"
            )
        refuse_environment(thing)
        if agent is not None or name:
            raise RecordingError(
                f"add({type(thing).__name__}): agent= and name= are for trees and machines; objects"
                " in a dict are called by its keys"
            )
        self._world.add(thing)

    def add_record(self, type: str, name: str) -> tuple[EnvironmentRecord, int]:
        """An object for what the wrapper of an environment records, and its id."""
        kind = self._environments.setdefault(type, record_class(type))
        record = kind(name or type, name)
        self._world.add(record)
        id = self._world.id_of(record)
        assert id is not None
        return record, id

    def picture_name(self, otherwise: str) -> str:
        """A name for pictures that are recorded by themselves: `screen` for the first of them, and
        then the given one, with a number if others have that."""
        base = otherwise if self._picture_names else "screen"
        name, number = base, 1
        while name in self._picture_names:
            number += 1
            name = f"{base} {number}"
        self._picture_names.add(name)
        return name

    def take_pictures(self) -> None:
        """Record what simulations and screens show at the end of a step."""
        for simulation in self._simulations:
            if simulation.render is not None:
                self._recorder.picture(simulation.render, name=simulation.picture_name)
        if self.screens.in_step:
            self.screens.end_step()
        else:  # `update` was called, and by then a program has drawn the step before
            self.screens.begin_step()
            self.screens.in_step = False

    def draw_simulations(self, draw: Draw, id_of: Callable[[Any], int | None]) -> None:
        """Draw the simulations' joints and contacts into the frame."""
        for simulation in self._simulations:
            with self._recorder.refusing("draw"):
                simulation.draw(draw, id_of)

    def close(self) -> None:
        """Stop observing: every library's own functions are as they were."""
        for tree in self._trees:
            tree.close()
        for machine in self._machines:
            machine.close()
        for simulation in self._simulations:
            simulation.close()
        for window in self._windows:
            window.close()

    def _add_window(self, window: Any, name: str) -> None:
        if any(one.thing is window for one in self._windows):
            return
        observed = ArcadeWindow(window, self._host, self.picture_name(name or "window"))
        self._windows.append(observed)
        self._world.add(observed.sprites)

    def _add_simulation(self, simulation: Simulation) -> None:
        if any(_is_same(one.thing, simulation.thing) for one in self._simulations):
            return
        self._simulations.append(simulation)
        if simulation.render is not None:
            simulation.picture_name = self.picture_name(simulation.picture_name)
        stand_ins = simulation.kinds if simulation.inexact else ()
        self._world.classes.choose(simulation.fields, stand_ins)
        self._world.add(simulation.objects)
        if simulation.inexact:
            log_safely(
                _logger, logging.WARNING, "%s: in playback stand-ins show its bodies: %s",
                repr(simulation.thing)[:80], simulation.inexact,
            )  # fmt: skip

    def _add_tree(self, tree: Any, agent: Any, name: str) -> None:
        id = self._agent_id(agent)
        root = getattr(tree, "root", tree)
        for one in self._trees:
            if one.tree is tree or one.root is root:
                if one.agent != id and agent is not None:
                    raise RecordingError(
                        f"agent={agent!r:.80}: the tree {one.name!r} is recorded for object"
                        f" {one.agent} already, and a tree is one agent's: make one for each"
                    )
                return
        called, number = name or str(root.name), 1
        taken = {one.name for one in self._trees if one.agent == id}
        while called in taken:
            number += 1
            called = f"{name or root.name} {number}"
        observer = TreeObserver(tree, self._recorder, id, called, self._hooks)
        self._trees.append(observer)
        if id:
            self._world.on_gone(id, observer.define_again)

    def _add_machine(self, machine: Any, agent: Any, name: str) -> None:
        if any(one.machine is machine for one in self._machines):
            return
        id = self._agent_id(agent)

        def id_of(model: Any) -> int:
            return id or self._world.known_id(model) or 0

        own = str(machine.name or "").removesuffix(": ")
        self._machines.append(
            MachineObserver(machine, self._recorder, id_of, name or own or "machine", self._hooks)
        )

    def _agent_id(self, agent: Any) -> int:
        if agent is None:
            return 0
        if isinstance(agent, int) and not isinstance(agent, bool) and agent >= 0:
            return agent
        found = self._world.mentioned_id(agent)  # it may come later than its tree
        if found is None:
            raise RecordingError(f"agent={agent!r:.80}: give an object that is recorded, or its id")
        return found


def _is_same(thing: Any, other: Any) -> bool:
    """Whether two things are one, or pairs of the same two."""
    if isinstance(thing, tuple) and isinstance(other, tuple):
        return all(a is b for a, b in zip(thing, other, strict=True))
    return thing is other
