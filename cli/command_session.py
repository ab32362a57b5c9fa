"""The session of a command."""

from ..session import Session


class CommandSession(Session):
    """Records whatever `PLAYHEAD` says: whoever gives the command wants the recording."""

    always_records = True
