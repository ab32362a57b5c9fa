"""Pads for a game on the gateway: sends the game the state of each player's pad."""

from ...bus.gateway.messages_from_game import GatewayGame
from ...bus.messages.gateway_messages import HoldGamePad
from ...playback.pads.latest_pads import LatestPads, PadState


class RemotePads:
    """Orders the game to hold each change of its players' pads. For the recording thread.

    A game that reads slowly gets fewer pads; a button that was pressed and released meanwhile is
    still sent once as pressed.

    Args:
        pads: Who holds what.
    """

    def __init__(self, pads: LatestPads) -> None:
        self._pads = pads
        self._sent: dict[int, PadState] = {}

    def take(self, players: int) -> None:
        """A game takes the pads of so many players."""
        for player in range(players):
            self._pads.take(player)

    def gone(self) -> None:
        """The game is gone, and its pads with it."""
        self._sent.clear()
        self._pads.refuse_all()

    def send(self, game: GatewayGame) -> float | None:
        """Send what has changed, if the game has read all that it was sent.

        Returns the seconds until a pad is let go whose holder stays silent; None if none is held.
        """
        wait: float | None = None
        for player in self._pads.players:
            held, left = self._pads.newest(player)
            if left is not None:
                wait = left if wait is None else min(wait, left)
            if held is None or game.unsent:
                continue
            taken = self._pads.pressed(player)
            if self._sent.get(player) != taken:
                self._sent[player] = taken
                game.order(_order(player, taken))
                if taken != held:  # what is still held then is sent next
                    wait = 0.0
        return wait


def _order(player: int, held: PadState) -> HoldGamePad:
    pad = held.pad
    return HoldGamePad(
        player, pad.left, pad.right, pad.left_trigger, pad.right_trigger, pad.held, held.origin,
        held.sequence, held.time,
    )  # fmt: skip
