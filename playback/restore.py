"""Restores the game to a recorded frame, and back to where it was."""

import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from operator import index
from typing import Any, TypeAlias

from ..errors import CommandError, HandlerError, PlayheadError, RecordingError
from ..recorder.fault_counts import FaultCounts, error_text
from ..recorder.handler_interface import PlaybackHandler
from ..recorder.objects.object_packets import is_object_id
from ..recorder.packets.recorded_frame import Packet
from ..recorder.reading.source_protocol import SourceMembers
from ..recorder.world_adapter import StandIn, World
from .playback_state import Mode, PlaybackState

_Living: TypeAlias = Mapping[int, tuple[str, Any]]

MUTED_AFTER = 3
"""Failures of a type's handler in a row after which it is not called again in this playback."""


class Restorer:
    """Makes a paused world look like one recorded frame, and gives it back unharmed.

    What is shown at a frame depends on that frame alone, and on edits of the newest one (`edit`).
    Each object that can be given back (alive,
    with a whole packet in the newest frame and a handler that plays it) is in one of two states:
    the shown frame's, or its own as it was before playback. Its own it has where the frame says
    nothing of it: the packet is damaged, or its type was not recorded then. All other packets are
    shown by stand-ins, and the living object behind a stand-in is hidden. Living objects that have
    no packet in a frame that recorded their type are hidden.

    Where the world can't restore (`can_restore` is False) every packet is a stand-in and no living
    object is touched.

    A handler that raises costs its object a stand-in and is counted in `faults`; after
    `MUTED_AFTER` failures in a row its type is shown by stand-ins until playback is left.
    """

    def __init__(
        self,
        world: World,
        source: SourceMembers,
        players: Mapping[str, PlaybackHandler],
        *,
        strict: bool = False,
        log: FaultCounts | None = None,
    ) -> None:
        """`players` maps types to the playing half of their handlers.

        With `strict` a handler's failure is raised, when the call that met it has done the rest.
        `log` logs the first of each cause that is not raised, and counts them all.
        """
        self._world = world
        self._source = source
        self._players = players
        self._strict, self._log = strict, log or FaultCounts()
        self._active = False
        self._own: dict[int, Packet] = {}
        """The newest frame's packets of objects that can be given back, in recording order."""
        self._edited: dict[int, Packet] = {}
        """Those of them that were edited: they replace what the newest frame holds."""
        self._newest = 0
        """The newest frame, while playback is on."""
        self._moved: set[int] = set()
        """Those of them that are not in their own state."""
        self._hidden: set[int] = set()
        self._stand_ins: dict[int, StandIn] = {}
        self._failures: Counter[str] = Counter()
        self._raised: PlayheadError | None = None
        self.faults: dict[str, int] = {}
        """How often the handler of each type has raised."""

    @property
    def active(self) -> bool:
        """Whether the world is paused for playback."""
        return self._active

    @property
    def hidden(self) -> frozenset[int]:
        """Ids of the living objects that are hidden now."""
        return frozenset(self._hidden)

    @property
    def stand_ins(self) -> Mapping[int, StandIn]:
        """The stand-ins that are shown now, by the id of the object they represent."""
        return dict(self._stand_ins)

    def match(self, state: PlaybackState) -> None:
        """Follow the playhead's state; made to be given to `Playhead.on_moved`.

        Raises:
            HandlerError: a handler raised, and `strict` is on.
        """
        if state.mode is Mode.LIVE:
            self.leave()
            return
        self.enter()
        if state.frame is not None:
            self.show(state.frame)

    def enter(self) -> None:
        """Pause the world, lock its input and keep what the newest frame holds. Once is enough."""
        if self._active:
            return
        self._world.pause()
        self._world.lock_input(True)
        self._active = True
        self._failures.clear()
        self._own = {}
        span = self._source.span
        self._newest = span.newest if span is not None else 0
        if span is None or not self._world.can_restore:
            return
        living = self._living()
        self._own = {
            packet.id: packet
            for packet in self._source.objects(span.newest)
            if not packet.damaged
            and not packet.cut  # or leaving would put back less than there was
            and packet.type in self._players
            and packet.id in living
            and living[packet.id][0] == packet.type
        }

    def show(self, frame: int) -> None:
        """Put every object at this frame.

        Raises:
            CommandError: playback was not entered.
            EvictedError: the frame is not in the recording; nothing changed.
            HandlerError: a handler raised, and `strict` is on.
        """
        if not self._active:
            raise CommandError(f"can't show frame {frame} in a running game: enter playback first")
        packets = {packet.id: packet for packet in self._source.objects(frame)}
        if frame == self._newest:
            packets |= self._edited
        types = self._source.recorded_types(frame)
        living = self._living()
        played = {packet.id: packet for packet in packets.values() if self._plays(packet, living)}
        # Nobody is played while hidden: `unhide` gives back what was before `hide`, and would
        # take away the visibility that a handler has set in between.
        self._unhide(self._hidden - self._out_of_sight(packets, types, living, played))

        for packet in tuple(played.values()):
            if not self._play(packet, living):
                del played[packet.id]
        for object_id in sorted(self._moved - played.keys()):
            self._restore(object_id, living)

        self._hide(self._out_of_sight(packets, types, living, played))
        self._stand_in(
            packet for packet in packets.values() if not packet.damaged and packet.id not in played
        )
        self._complain()

    def leave(self) -> None:
        """Put every object back as the newest frame had it at `enter`, and let the world run on.

        Raises:
            HandlerError: a handler raised, and `strict` is on; the world runs nevertheless.
        """
        if not self._active:
            return
        try:
            self._unhide(self._hidden)
            self._stand_in(())
            living = self._living()
            for object_id in self._own:
                self._restore(object_id, living)
        finally:  # whatever the world's own methods raise, it is not paused for ever
            self.forget()
            self._world.lock_input(False)
            self._world.resume()
        self._complain()

    def gives_back(self, object_id: int) -> bool:
        """Whether an object is given back when playback is left."""
        return object_id in self._own

    def own_packet(self, object_id: int) -> Packet:
        """What an object is given back as."""
        return self._own[object_id]

    def edit(self, packet: Packet) -> None:
        """An object that is given back was edited at the newest frame: from now on it is this that
        leaving playback gives back, and that the newest frame shows.
        """
        self._own[packet.id] = self._edited[packet.id] = packet

    def forget(self) -> None:
        """The world has moved on or is another: nothing of what was shown is there any more.

        It is entered and shown again by `match`.
        """
        self._active = False
        self._own = {}
        self._edited = {}
        self._moved.clear()
        self._hidden.clear()
        self._stand_ins.clear()

    def _living(self) -> _Living:
        living: dict[int, tuple[str, Any]] = {}
        try:
            for entry in self._world.objects():
                # What is no entry was counted when it should have been recorded.
                if isinstance(entry, tuple) and len(entry) == 3 and is_object_id(entry[0]):
                    living[index(entry[0])] = entry[1], entry[2]
        except Exception as error:
            cause = "objects() in playback"
            self._failed(cause, error, RecordingError(f"{cause}: {error_text(error)}"))
        return living

    def _plays(self, packet: Packet, living: _Living) -> bool:
        """Whether a packet may go into its object: only what can be given back is ever changed.

        An id may be used again by an object of another type; that is not the one recorded.
        """
        own = self._own.get(packet.id)
        return (
            own is not None
            and own.type == packet.type
            and (
                own.number == packet.number  # or its layout was another then
                or getattr(self._players[packet.type], "reads_all_layouts", False)
            )
            and not packet.damaged
            and self._failures[packet.type] < MUTED_AFTER
            and packet.id in living
            and living[packet.id][0] == packet.type
        )

    def _out_of_sight(
        self,
        packets: Mapping[int, Packet],
        types: frozenset[str],
        living: _Living,
        played: Mapping[int, Packet],
    ) -> set[int]:
        """The objects to hide: those that are absent, and those that have a stand-in."""
        if not self._world.can_restore:
            return set()
        hidden = set()
        for object_id, (type, _) in living.items():
            packet = packets.get(object_id)
            if packet is None or packet.type != type:
                if type in types:
                    hidden.add(object_id)
            elif not packet.damaged and object_id not in played:
                hidden.add(object_id)
        for object_id, packet in packets.items():
            # Alive, although the world doesn't list it now.
            unlisted = object_id not in living and self._world.find(object_id) is not None
            if unlisted and not packet.damaged:
                hidden.add(object_id)
        return hidden

    def _play(self, packet: Packet, living: _Living) -> bool:
        """Put a packet into its object; False if its handler failed, or is muted by now."""
        if self._failures[packet.type] >= MUTED_AFTER:
            return False
        self._moved.add(packet.id)
        if self._call(packet, living[packet.id][1]):
            self._failures[packet.type] = 0
            return True
        self._failures[packet.type] += 1
        return False

    def _restore(self, object_id: int, living: _Living) -> None:
        """Put an object into its own state again; also where its handler is muted."""
        packet = self._own[object_id]
        self._moved.discard(object_id)
        type, obj = living.get(object_id) or (packet.type, self._world.find(object_id))
        if obj is not None and type == packet.type:
            self._call(packet, obj)

    def _call(self, packet: Packet, obj: Any) -> bool:
        try:
            self._players[packet.type].play(obj, packet)
        except Exception as error:
            self.faults[packet.type] = self.faults.get(packet.type, 0) + 1
            message = (
                f"the {packet.type} handler raised {error_text(error)}"
                f" while playing object {packet.id}; mend its `play`"
            )
            self._failed(f"play {packet.type}", error, HandlerError(message))
            return False
        return True

    def _failed(self, cause: str, error: Exception, failure: PlayheadError) -> None:
        """Something of the game's failed: raise it in the end if strict, else log it."""
        is_raised = self._strict and self._raised is None
        level = logging.DEBUG if is_raised else logging.ERROR
        self._log.call_refused(cause, error, level=level)
        if is_raised:
            failure.__cause__ = error
            self._raised = failure

    def _complain(self) -> None:
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised

    def _hide(self, ids: set[int]) -> None:
        for object_id in sorted(ids - self._hidden):
            self._hidden.add(object_id)
            self._world.hide(object_id)

    def _unhide(self, unwanted: set[int]) -> None:
        for object_id in sorted(unwanted):
            self._hidden.discard(object_id)
            self._world.unhide(object_id)

    def _stand_in(self, packets: Iterable[Packet]) -> None:
        """Show stand-ins for these packets and no others; one that stays as it is isn't touched."""
        stand_ins = {
            packet.id: StandIn(
                packet.id, packet.type, packet.position, packet.angles, packet.visible
            )
            for packet in packets
        }
        for object_id in sorted(self._stand_ins.keys() - stand_ins.keys()):
            del self._stand_ins[object_id]
            self._world.remove_stand_in(object_id)
        for object_id, stand_in in stand_ins.items():
            if self._stand_ins.get(object_id) != stand_in:
                self._stand_ins[object_id] = stand_in
                self._world.show_stand_in(stand_in)
