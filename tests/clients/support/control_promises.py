"""What every client promises besides: tools run its example game by steps, play it, and call it.

Like `promises`: the same tests for each language.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from playhead.bus.client.client import Client
from playhead.bus.messages import requests, responses
from playhead.errors import CommandError, GameError
from playhead.playback.commands import Advance
from playhead.playback.pads.pad import NEUTRAL, Button, Pad
from playhead.playback.playback_state import Mode

from ...support.waits import until
from .promises import Play, Served, Serving, newest, shown_at
from .speaking import Speaking, framed, order


def inputs(client: Client, frame: int) -> dict[str, Any]:
    """The world's inputs in a frame, by name."""
    rows = client.statements(frame).inputs
    return {name: value for object, name, value in rows if object == 0}


class ControlPromises(Serving):
    """A game is run, played and called by tools. Inherit, and give a fixture `play`.

    The example does this besides; none of it changes a run in which no tool asks for anything:

    - It registers with `can_advance` and with the pads of two players.
    - At the start of each step it takes the pads of player 0 and 1. The first number of player 0's
      left stick moves the guard along x, by that × 2 × the step's seconds. For each of the two who
      has A down a ball comes in, as one does every 40 steps, if there is room for it.
    - It serves `guard.heal`, with a map whose `health` is a number from 0 to 100: the guard has
      that health from then on, and the result is the health before, a number. Any other argument is
      refused with a message that has the word `health` in it. While the guard is down (`state` 2)
      the call fails with the message `the guard is down`.
    - After each frame it publishes `yard`: `{"step": n, "balls": how many there are}`.
    - In its first step it states the input `seed`, with what its random numbers begin with: a
      number, or a text if that is beyond 2⁵³.
    - Its phase is `warm-up` from its first step, and `match` from step 31 on.
    - When it takes a ball away (each 90 steps) it states the event `ball gone` of that ball,
      with the number of its bounces as the value.
    - In its first step, and in each 60th, it states a picture of 1 × 1 pixels: `png`, width and
      height 1. (A game with a window would send its screen.)
    """

    deliveries = 1
    """How often messages are sent until all of them come between two steps: where a browser hands
    them over one by one, a step may come in between."""

    def test_it_advances_by_so_many_steps_and_pauses(self, served: Served, play: Play) -> None:
        run, client = play(served.url, steps=play.alone.check - 1, rate=60), served.client
        until(lambda: newest(client) >= 20)
        client.enter()
        step = run.next("paused")["step"]
        client.seek(frame=5)
        shown_at(run, 5)
        for _ in range(2):  # from the newest frame: `advance` goes there first
            client.seek(frame=step)
            state = client.apply(Advance(3))
            assert (state.frame, state.clamped, state.mode) == (step + 3, False, Mode.PAUSED)
            assert run.next("resumed")["step"] == step
            step += 3
            paused = run.next("paused")
            assert (paused["step"], paused["state"]) == (step, play.alone[step]["state"])
            assert newest(client) == step
        client.leave()
        assert run.next("end")["state"] == play.alone[play.alone.check - 1]["state"]

    def test_a_failed_check_ends_an_advance(self, served: Served, play: Play) -> None:
        check = play.alone.check
        run, client = play(served.url, steps=check + 30, rate=60), served.client
        until(lambda: newest(client) >= 20)
        client.enter()
        assert run.next("paused")["step"] < check
        state = client.apply(Advance(check))
        assert (state.frame, state.clamped) == (check, True)
        assert run.next("paused")["step"] == check
        client.leave()
        assert run.next("end")["state"] == play.alone[check + 30]["state"]

    def test_an_order_to_pause_ends_an_advance(self, play: Play) -> None:
        with Speaking() as service:
            run = play(service.url, steps=10_000, rate=60)
            service.welcome()
            service.step()
            service.say(framed(1, order(order="pause")))
            service.hear(b'"paused"')
            service.say(framed(1, order(order="advance", steps=50)))
            service.hear(b'"resumed"')
            service.step()
            service.say(framed(1, order(order="pause")))
            service.hear(b'"paused"')
            service.say(framed(1, order(order="pause")))  # it stands: it says so again
            assert service.hear(b'"paused"') == []
            stood = run.next("paused")["step"]
            assert stood < run.next("paused")["step"] < stood + 50
            service.say(framed(1, order(order="resume")))
            for _ in range(50):  # nothing is left of the fifty
                assert not any(message["do"] == "paused" for message in service.step())
            run.kill()

    def test_a_tool_s_pad_is_played_and_recorded(self, served: Served, play: Play) -> None:
        # Slow: at step 44 the guard is down, which pauses the game, and pads are refused.
        run, client = play(served.url, steps=10_000, rate=10), served.client
        until(lambda: newest(client) >= 2)
        assert "pad" not in inputs(client, 2)  # nobody has ever held one
        held = {0: Pad(left=(0.5, -0.25), right_trigger=1.0), 1: Pad(held=Button.A | Button.UP)}
        client.pad(held[0])
        client.flush()
        first = _until_input(client, "pad", {"left x": 0.5, "left y": -0.25, "right trigger": 1.0})
        client.pad(held[1], player=1)
        client.flush()
        second = _until_input(client, "pad 1", {"A": True, "UP": True})
        assert second > first
        come = objects(client, second) - objects(client, second - 1)
        assert len(come) == (2 if second % 40 == 1 else 1)  # in the very step that took the pad
        client.pad(NEUTRAL)
        client.pad(NEUTRAL, player=1)
        client.flush()
        assert not client.refusals
        let_go = _until_input(client, "pad", {})
        for frame in range(first, let_go):
            assert inputs(client, frame)["pad"]["left x"] == 0.5
        client.pad(NEUTRAL, player=2)
        client.flush()
        assert "only those of players 0, 1" in client.refusals[-1]
        run.kill()

    def test_what_is_pressed_and_let_go_between_two_steps_is_down_in_the_next(
        self, play: Play
    ) -> None:
        with Speaking() as service:
            run = play(service.url, steps=10_000, rate=30)
            service.welcome()
            service.step()
            rest = {"order": "pad", "player": 0}
            press = {**rest, "buttons": 1, "left": [0.5, 0]}
            held = {**rest, "buttons": 2}
            for sent in ((press, rest), (press, held, rest, held)):
                assert any(_steps_with_a_down(service, sent) == 1 for _ in range(self.deliveries))
            run.kill()

    def test_playback_and_a_lost_connection_let_the_pads_go(self, play: Play) -> None:
        pressed = framed(1, order(order="pad", player=1, buttons=1))
        with Speaking() as service:
            run = play(service.url, steps=10_000, rate=60)
            service.welcome()
            service.step()
            service.say(pressed + framed(1, order(order="pause")))
            service.hear(b'"paused"')
            service.say(framed(1, order(order="resume")))
            service.hear(b'"resumed"')
            assert [message["value"] for message in service.step() if _is_pad(message)] == [{}]
            service.say(pressed)
            while not any(message["value"] for message in service.step() if _is_pad(message)):
                pass
            service.welcome()
            service.step()
            assert not any(_is_pad(message) for message in service.step())
            run.kill()

    def test_a_call_is_answered_refused_and_fails(self, served: Served, play: Play) -> None:
        run, client = play(served.url, steps=10_000), served.client
        run.next("recording")
        before = client.call("guard.heal", {"health": 77.5})
        assert before % 20 == 0  # each ball that hits takes 20 of 100
        until(lambda: newest(client) and health(client, newest(client)) % 20 == 17.5)
        for argument in (None, {}, {"health": "much"}, {"health": 100.5}, [1], "health"):
            with pytest.raises(CommandError, match="health"):
                client.call("guard.heal", argument)
        with pytest.raises(CommandError, match=r"guard\.heal"):  # the service says what there is
            client.call("guard.hurt")
        client.enter()
        run.next("paused")
        assert client.call("guard.heal", {"health": 10}) % 20 == 17.5  # also while it stands
        client.leave()
        assert run.next("check")["step"] > 0
        run.next("paused")
        with pytest.raises(GameError, match="the guard is down"):
            client.call("guard.heal", {"health": 100})
        client.leave()
        run.next("resumed")
        run.kill()

    def test_what_it_publishes_is_heard(self, served: Served, play: Play) -> None:
        run, client = play(served.url, steps=10_000, rate=60), served.client
        until(lambda: newest(client) >= 50)
        client.enter()
        step = run.next("paused")["step"]

        def yard() -> Any:
            published = client.published("yard")
            return published is not None and published.body

        until(lambda: yard() and yard()["step"] == step)
        balls = [row for row in client.objects(step) if row.type == "ball"]
        assert yard() == {"step": step, "balls": len(balls)}
        run.kill()

    def test_what_comes_from_outside_and_the_phases_are_recorded(
        self, served: Served, play: Play
    ) -> None:
        run, client = play(served.url, steps=60), served.client
        run.next("end")
        until(lambda: newest(client) == 60)
        assert inputs(client, 1).keys() == {"seed"}
        assert inputs(client, 1)["seed"]
        assert inputs(client, 2) == {}
        phases = [client.statements(frame).phase for frame in (1, 30, 31, 60)]
        assert phases == ["warm-up", "warm-up", "match", "match"]

    def test_events_and_pictures_are_recorded(self, served: Served, play: Play) -> None:
        run, client = play(served.url, steps=95), served.client
        run.next("end")
        until(lambda: newest(client) == 95)
        lost = objects(client, 89) - objects(client, 90)
        (ball,) = [row for row in client.objects(89) if row.id in lost]
        assert client.statements(90).events == [(ball.id, "ball gone", ball.values["bounces"])]
        for frame, of in ((1, 1), (59, 1), (95, 60)):
            found = client.asked(requests.GetPicture(frame), responses.FoundPicture)
            assert (found.frame, found.format, found.width, found.height) == (of, "png", 1, 1)
            assert found.data.startswith(b"\x89PNG\r\n\x1a\n")


def objects(client: Client, frame: int) -> set[int]:
    """The ids of a frame's objects."""
    return {row.id for row in client.objects(frame)}


def health(client: Client, frame: int) -> float:
    """The guard's, in a frame."""
    (guard,) = [row for row in client.objects(frame) if row.type == "guard"]
    return float(guard.values["health"])


def _until_input(client: Client, name: str, value: Any) -> int:
    """Wait until this input is recorded; the first frame that has it."""
    frame = 1

    def found() -> bool:
        nonlocal frame
        while frame <= newest(client):
            if inputs(client, frame).get(name) == value:
                return True
            frame += 1
        return False

    until(found)
    return frame


def _steps_with_a_down(service: Speaking, pads: Sequence[Mapping[str, Any]]) -> int:
    """In how many steps A was down, when these pads were sent at once."""
    service.say(b"".join(framed(1, order(**pad)) for pad in pads))
    seen: list[dict[str, Any]] = []
    # Steps from before the pads have come do not count.
    while not any("A" in pad for pad in seen) or seen[-1] != _input_of(pads[-1]):
        seen += [message["value"] for message in service.step() if _is_pad(message)]
    return sum("A" in pad for pad in seen)


def _is_pad(said: Mapping[str, Any]) -> bool:
    return said["do"] == "input" and said["name"] in ("pad", "pad 1")


def _input_of(pad: Mapping[str, Any]) -> dict[str, Any]:
    names = {1: "A", 2: "B"}
    return {name: True for bit, name in names.items() if pad.get("buttons", 0) & bit}
