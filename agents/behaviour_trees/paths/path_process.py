"""The path search process: maps and requests on stdin, answers on stdout."""

import sys

import msgspec

from .path_messages import Message, NewMap, PathAnswer, receive, send
from .path_search import PathSearch


def main() -> None:
    """Answer until stdin ends, as it does when the game's process ends in whatever way."""
    decoder = msgspec.msgpack.Decoder(Message)
    search: PathSearch | None = None
    while (data := receive(sys.stdin.buffer)) is not None:
        message = decoder.decode(data)
        if isinstance(message, NewMap):
            search = PathSearch(message.map)
        elif search is not None:
            send(sys.stdout.buffer, _answered(search, message))


def _answered(search: PathSearch, asked: Message) -> PathAnswer:
    assert not isinstance(asked, NewMap)
    if asked.only_whether:
        found = search.is_reachable(asked.start, asked.goal)
        return PathAnswer(asked.id, "found" if found else "unreachable")
    points = search.route(asked.start, asked.goal)
    if points is None:
        return PathAnswer(asked.id, "unreachable")
    return PathAnswer(asked.id, "found", tuple(points))


if __name__ == "__main__":
    main()
