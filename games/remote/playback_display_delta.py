"""What a remote game must show and what it was sent; the next message has only the difference."""

from collections.abc import Mapping

from ...bus.messages.gateway_messages import ShowFrame
from ...bus.messages.response_rows import StandInRow
from ...native import _ring
from ...native.ring_type_aliases import HIDDEN, RawPacket
from ...recorder.packets.recorded_frame import Packet
from ...recorder.world_adapter import StandIn


class DisplayDelta:
    """Collects what the restorer wants shown, however often, until the game can be sent an order.

    So a game that reads slowly gets fewer orders, and none that is out of date.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """The game is as it made itself."""
        self._hidden: set[int] = set()
        self._sent_hidden: set[int] = set()
        self._stand_ins: dict[int, StandIn] = {}
        self._sent_stand_ins: dict[int, StandIn] = {}
        self._packets: dict[int, Packet] = {}

    def hide(self, id: int) -> None:
        self._hidden.add(id)

    def unhide(self, id: int) -> None:
        self._hidden.discard(id)

    def stand_in(self, stand_in: StandIn) -> None:
        self._stand_ins[stand_in.id] = stand_in

    def remove_stand_in(self, id: int) -> None:
        self._stand_ins.pop(id, None)

    def put(self, packet: Packet) -> None:
        """This packet is to be put back into its object."""
        self._packets[packet.id] = packet

    def take(
        self, frame: int, time: float, numbers: Mapping[int, int]
    ) -> tuple[ShowFrame, bytes | None]:
        """The order that makes the game look so, and the packets that go with it.

        An object that is hidden gets its packet when it is shown again: what it would do to a
        hidden one's visibility would be for the game to undo.

        Args:
            frame, time: What is shown.
            numbers: The ring's numbers of types to the game's.
        """
        rows = [
            _raw(packet, numbers[packet.number])
            for packet in self._packets.values()
            if packet.id not in self._hidden and packet.number in numbers
        ]
        image = _ring.image_encode(max(frame, 1), time, 0.0, 0, rows) if rows else None
        order = ShowFrame(
            frame, time, image is not None,
            hide=tuple(sorted(self._hidden - self._sent_hidden)),
            unhide=tuple(sorted(self._sent_hidden - self._hidden)),
            stand_ins=tuple(
                StandInRow(*stand_in)
                for id, stand_in in self._stand_ins.items()
                if self._sent_stand_ins.get(id) != stand_in
            ),
            remove_stand_ins=tuple(sorted(self._sent_stand_ins.keys() - self._stand_ins.keys())),
        )  # fmt: skip
        self._sent_hidden = set(self._hidden)
        self._sent_stand_ins = dict(self._stand_ins)
        self._packets = {id: p for id, p in self._packets.items() if id in self._hidden}
        return order, image


def _raw(packet: Packet, number: int) -> RawPacket:
    flags = 0 if packet.visible else HIDDEN
    return (
        packet.id, number, packet.targetable, flags, packet.position, packet.angles, 0, 0,
        packet.payload,
    )  # fmt: skip
