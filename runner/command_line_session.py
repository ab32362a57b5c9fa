"""A command's session, which records whatever `PLAYHEAD` says and prints its bus address."""

from ..session import Session
from .terminal.safe_terminal_output import echo


class CommandSession(Session):
    """Records whatever `PLAYHEAD` says: a user who gives the command wants the recording."""

    always_records = True


def print_endpoint(session: Session) -> None:
    """Say on stderr where tools find the session, and how one drives it by hand."""
    assert session.bus is not None
    endpoint = session.bus.endpoint
    echo(f"on the bus at {endpoint} (playhead ctl {endpoint} status)", err=True)
