"""Version 1 of the protocol, for peers whose `hello` names it: translated to and from version 2.

Names that differ are replaced by today's names on the way in, and by the old ones on the way out.
A service of version 3 needs none of this.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from .message_types import Event, Response

NEWEST = (1, 4)
"""The version in the `welcome` of such a peer."""
TOPICS = {"failed_check": "check", "published": "told"}
"""Today's topics that had another name; events are sent under both, if both are subscribed to."""

_REQUESTS = {
    "present": "snapshot", "said": "statements", "stamps": "frame_headers", "find": "find_frame",
    "versions": "latch_history", "told": "published", "check_failed": "report_failed_check",
    "save": "save_clip", "trigger": "trigger_clip", "instruct": "call", "listen": "subscribe",
    "game": "register_game", "type": "define_type", "skeleton": "define_skeleton",
    "follow": "leave",
}  # fmt: skip
REQUESTS = frozenset(_REQUESTS)
"""Requests that had another name."""
_REQUEST_KEYS = {"pad": {"held": "buttons"}, "instruct": {"body": "argument"}}
_RESPONSES = {
    "snapshot": "present", "state": "shown", "statements": "said", "frame_headers": "stamps",
    "latch_history": "versions", "published": "told", "result": "instructed",
}  # fmt: skip
_RESPONSE_KEYS = {
    "welcome": {"snapshot": "present", "published": "told"}, "state": {"state": "shown"},
    "frame_headers": {"headers": "stamps"}, "published": {"published": "told"},
}  # fmt: skip
_EVENT_KEYS = {"failed_check": {"failed_check": "violation"}}


class Response1(Response, frozen=True, kw_only=True):
    """A response to a peer of version 1: the same, but sent in that version's words."""


def modern(message: Any) -> Any | None:
    """A request of version 1, as plain values, in today's words; None if it has none of its own."""
    request = message.get("ask") if isinstance(message, dict) else None
    if not isinstance(request, dict):
        return None
    tag = request.get("do")
    if not isinstance(tag, str) or (tag not in _REQUESTS and tag not in _REQUEST_KEYS):
        return None
    names = _REQUEST_KEYS.get(tag, {})
    renamed = {names.get(key, key): value for key, value in request.items()}
    return {**message, "ask": {**renamed, "do": _REQUESTS.get(tag, tag)}}


def response_values(response: Response1) -> dict[str, Any]:
    """A response as plain values in the words of version 1."""
    values: dict[str, Any] = msgspec.to_builtins(response, builtin_types=(bytes,))
    values["answer"] = answer = _renamed(values["answer"], "is", _RESPONSE_KEYS, _RESPONSES)
    for snapshot in (answer, answer.get("present")):
        if isinstance(snapshot, dict) and isinstance(snapshot.get("sequences"), dict):
            snapshot["sequences"] = {
                TOPICS.get(topic, topic): number for topic, number in snapshot["sequences"].items()
            }
    if isinstance(answer.get("told"), dict):
        answer["told"]["what"] = "told"
    if "protocol" in answer:
        answer["protocol"] = NEWEST
    if answer["is"] == "status":
        names = {"published": "told", "published_dropped": "told_dropped"}
        answer["bus"] = {names.get(key, key): value for key, value in answer["bus"].items()}
    return values


def event_values(event: Event) -> dict[str, Any]:
    """An event of one of the `TOPICS` as plain values in the words of version 1."""
    values: dict[str, Any] = msgspec.to_builtins(event, builtin_types=(bytes, msgspec.Raw))
    values["event"] = _renamed(values["event"], "what", _EVENT_KEYS, TOPICS)
    return values


def _renamed(
    values: Mapping[str, Any], tag: str, keys: Mapping[str, Mapping[str, str]],
    tags: Mapping[str, str],
) -> dict[str, Any]:  # fmt: skip
    kind = values[tag]
    names = keys.get(kind, {})
    renamed = {names.get(key, key): value for key, value in values.items()}
    renamed[tag] = tags.get(kind, kind)
    return renamed
