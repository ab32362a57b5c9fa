"""What every client promises, tried on its example game: the same tests for each language.

An example game says what it does as lines of JSON, with a hash of each object's state. So a test
can lay a run that was recorded, paused and scrubbed beside one that was alone.
"""

import itertools
import json
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pytest

from playhead.bus.client.client import Client
from playhead.bus.messages.requests import GetFrameHeaders
from playhead.bus.messages.response_rows import ObjectRow
from playhead.bus.messages.responses import FrameHeaders

from ...support.process import Process, run_process
from ...support.waits import LIMIT, until
from ..conftest import RunningService, running
from .cutting import Cutting
from .speaking import Speaking, framed, image, order

Report = Mapping[str, Any]
"""A line that a game said: `event`, `step`, `state`, `objects` (id to hash), `stand_ins` (ids)."""


class Served:
    """A service with a gateway, and a tool that is connected to it."""

    def __init__(self, service: RunningService) -> None:
        self._service = service
        self.url = service.url
        self.client = service.client(timeout=LIMIT)

    def stop(self) -> None:
        self.client.close()
        self._service.stop()


class Run:
    """A game that is running."""

    def next(self, event: str) -> Report:
        """The next report of this kind; those before it are passed over.

        Raises:
            AssertionError: it has not come in time, or the game has ended.
        """
        raise NotImplementedError

    def kill(self) -> None:
        """End it at once, wherever it is. Once is enough."""
        raise NotImplementedError


class ProcessRun(Run):
    """A game in a process of its own, which says its reports on its standard output."""

    def __init__(self, command: Sequence[str | Path], **options: Any) -> None:
        self.process = Process(*command, **options)

    def next(self, event: str) -> Report:
        while line := self.process.line(limit=LIMIT):
            report: Report = json.loads(line)
            if report["event"] == event:
                return report
        raise AssertionError(f"the game ended without {event!r}: {self.process.wait()}")

    def kill(self) -> None:
        self.process.close()


class Alone:
    """What a game does that nobody records.

    Args:
        reports: All that it said.
    """

    def __init__(self, reports: Iterable[Report]) -> None:
        self._steps: dict[int, Report] = {}
        checks = []
        for report in reports:
            if report["event"] == "step":
                self._steps[report["step"]] = report
            elif report["event"] == "check":
                checks.append(report["step"])
        self.check = min(checks)
        """The step in which its check fails first."""

    @classmethod
    def of(cls, command: Sequence[str | Path]) -> "Alone":
        """What it says on its standard output."""
        done = run_process(*command, check=True)
        return cls(json.loads(line) for line in done.stdout.splitlines())

    def __getitem__(self, step: int) -> Report:
        return self._steps[step]


class Example:
    """Starts an example game in a process of its own; see `Play`."""

    def __init__(self, command: Sequence[str | Path], alone: "Alone") -> None:
        self._command = command
        self.alone = alone
        self._runs: list[ProcessRun] = []

    def __call__(self, url: str, *, steps: int, rate: int = 240) -> Run:
        options = ["--url", url, "--steps", str(steps), "--rate", str(rate)]
        run = ProcessRun([*self._command, *options])
        self._runs.append(run)
        return run

    def __enter__(self) -> "Example":
        return self

    def __exit__(self, *_: object) -> None:
        for run in self._runs:
            run.kill()


class Play(Protocol):
    """Starts an example game; the test's end ends it."""

    alone: Alone

    def __call__(self, url: str, *, steps: int, rate: int = 240) -> Run: ...


def newest(client: Client) -> int:
    """The newest frame, 0 if there is none."""
    span = client.snapshot().span
    return 0 if span is None else span.newest


def stamps(client: Client) -> list[tuple[int, float, float, int, int, int]]:
    """Id, time, delta, packets, epoch and flags of all frames."""
    span = client.snapshot().span
    assert span is not None
    return client.asked(GetFrameHeaders(span.oldest, span.newest), FrameHeaders).headers


def shown_at(run: Run, frame: int) -> Report:
    """What the game looks like at a frame, once it is told to."""
    while (shown := run.next("shown"))["frame"] != frame:
        pass
    return shown


def hashed(data: bytes) -> int:
    """FNV-1a, which the examples use."""
    value = 2166136261
    for byte in data:
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return value


def hashes(client: Client, frame: int) -> dict[str, int]:
    """The recorded objects of a frame as the example would report them, from decoded fields."""
    types = {row.name: row for row in client.types(frame).types}

    def of(row: ObjectRow) -> int:
        record = np.zeros((), [(n, f, s) for n, f, s, _ in types[row.type].fields])
        for name in record.dtype.names or ():
            record[name] = row.values[name]
        return hashed(record.tobytes())

    return {str(row.id): of(row) for row in client.objects(frame)}


class Serving:
    """A service for the games of a test."""

    @pytest.fixture
    def origins(self) -> tuple[str, ...]:
        """Pages that may connect."""
        return ()

    @pytest.fixture
    def served(self, origins: tuple[str, ...]) -> Iterator[Served]:
        options = [part for origin in origins for part in ("--origin", origin)]
        with running(*options) as service:
            served = Served(service)
            yield served
            served.stop()


class Promises(Serving):
    """A game is recorded, paused, shown its past, resumed. Inherit, and give a fixture `play`."""

    def test_what_happens_is_recorded(self, served: Served, play: Play) -> None:
        """Ids beyond 2⁵³, types, fields, times, names, traces, log and watched values."""
        run, client = play(served.url, steps=60), served.client
        end = run.next("end")
        assert end["state"] == play.alone[60]["state"]
        until(lambda: newest(client) == 60)
        for frame, at, delta, *_ in stamps(client):
            assert at == pytest.approx(frame / 60, abs=1e-9)
            assert delta == pytest.approx(1 / 60, abs=1e-9) or frame == 1
        for frame in (1, 30, 60):
            assert hashes(client, frame) == play.alone[frame]["objects"]
        (guard,) = [row for row in client.objects(60) if row.type == "guard"]
        assert guard.name == "Guard"
        assert guard.position == pytest.approx(guard.values["position"], abs=1e-4)
        assert any(row.id > 2**53 for row in client.objects(60))
        assert client.statements(1).log[0].text == "a ball comes in"
        assert client.statements(30).watches[0][:2] == (guard.id, "distance²")
        guards = {row.name: row for row in client.types(60).types}["guard"]
        assert guards.roles["health"] == "health"
        assert guards.units["position"] == "m"

    def test_transitions_are_where_they_happened(self, served: Served, play: Play) -> None:
        run, client = play(served.url, steps=play.alone.check - 1), served.client
        run.next("end")
        until(lambda: newest(client) == play.alone.check - 1)
        state, seen = "patrol", 0
        for frame in range(1, play.alone.check):
            for row in client.statements(frame).traces:
                assert row.state is not None
                assert (row.state.machine, row.state.source) == ("guard", state)
                assert set(row.state.values) == {"distance", "health"}
                assert row.state.rejected[0].condition == "tired"
                assert row.state.line > 0
                state, seen = row.state.target, seen + 1
            (guard,) = [row for row in client.objects(frame) if row.type == "guard"]
            assert ["patrol", "flee", "down"][int(guard.values["state"])] == state
        assert seen >= 2

    def test_the_past_stands_there_and_the_game_goes_on_as_if_never_paused(
        self, served: Served, play: Play
    ) -> None:
        run, client = play(served.url, steps=play.alone.check - 1, rate=60), served.client
        until(lambda: newest(client) >= 100)
        client.enter()
        paused = run.next("paused")
        step = paused["step"]
        assert newest(client) == step
        assert paused["state"] == play.alone[step]["state"]
        for frame in (step - 1, 1, 95, 60, 100):
            client.seek(frame=frame)
            shown = shown_at(run, frame)
            there = play.alone[frame]["objects"]
            gone = there.keys() - play.alone[step]["objects"].keys()
            assert set(map(str, shown["stand_ins"])) == gone
            assert shown["objects"] == {i: h for i, h in there.items() if i not in gone}
        client.leave()
        resumed = run.next("resumed")
        assert resumed["state"] == paused["state"]
        assert resumed["objects"] == play.alone[step]["objects"]
        assert resumed["stand_ins"] == []
        assert run.next("end")["state"] == play.alone[play.alone.check - 1]["state"]
        until(lambda: newest(client) == play.alone.check - 1)
        assert {epoch for *_, epoch, _ in stamps(client)} == {0}

    def test_a_failed_check_pauses_the_game_there(self, served: Served, play: Play) -> None:
        run, client = play(served.url, steps=play.alone.check + 30), served.client
        paused = run.next("paused")
        assert paused["step"] == play.alone.check
        assert paused["state"] == play.alone[play.alone.check]["state"]
        until(lambda: client.snapshot().time.mode == "paused")
        assert newest(client) == play.alone.check
        (mark,) = [mark for mark in client.marks() if mark.kind == "check"]
        assert (mark.frame, mark.note or mark.name) == (play.alone.check, "the guard is up")
        client.leave()
        assert run.next("end")["state"] == play.alone[play.alone.check + 30]["state"]

    def test_a_game_killed_in_mid_frame_loses_that_frame_only(
        self, served: Served, play: Play
    ) -> None:
        with Cutting(served.url, after=50) as cutting:
            run, client = play(cutting.url, steps=10_000), served.client
            cutting.wait()
            run.kill()
            cutting.close()
        until(lambda: newest(client) == 50)
        assert hashes(client, 50) == play.alone[50]["objects"]
        again = play(served.url, steps=5)
        again.next("end")
        until(lambda: newest(client) == 55)
        assert hashes(client, 55) == play.alone[5]["objects"]

    def test_a_game_started_again_opens_an_epoch_on_the_same_timeline(
        self, served: Served, play: Play
    ) -> None:
        for round in (1, 2):
            play(served.url, steps=20).next("end")
            until(lambda round=round: newest(served.client) == 20 * round)
        rows = stamps(served.client)
        assert [epoch for *_, epoch, _ in rows] == [0] * 20 + [1] * 20
        assert all(a[1] <= b[1] for a, b in itertools.pairwise(rows))

    def test_the_second_of_two_games_waits_and_runs_on(self, served: Served, play: Play) -> None:
        first = play(served.url, steps=10_000, rate=60)
        first.next("recording")
        until(lambda: newest(served.client) > 5)
        second = play(served.url, steps=10)
        before = newest(served.client)
        until(lambda: newest(served.client) > before + 90)  # longer than between two attempts
        assert {epoch for *_, epoch, _ in stamps(served.client)} == {0}
        first.kill()
        second.next("recording")
        assert second.next("end")["state"] == play.alone[10]["state"]

    def test_a_failed_check_pauses_without_being_told(self, play: Play) -> None:
        with Speaking() as service:
            run = play(service.url, steps=play.alone.check + 30)
            service.welcome()
            frames = service.hear(b'"paused"')
            assert len(frames) == play.alone.check == run.next("paused")["step"]
            service.say(framed(1, order(order="resume")))
            assert len(service.hear(b'"bye"')) == 30

    def test_a_service_that_is_killed_gives_the_game_back(self, play: Play) -> None:
        """What was hidden, moved and stood in for, without a word from the service."""
        moved = bytearray(image([1], size=40, type=33))
        struct.pack_into("<4dfi", moved, 160, 3.0, 4.0, 0.0, 1.5, 77.0, 1)
        row = {"id": str(2**62), "type": "ball", "position": [1, 2, 3], "angles": [0, 0, 0]}
        ball = str(2**53 + 1)
        with Speaking() as service:
            run = play(service.url, steps=play.alone.check - 1, rate=60)
            service.welcome()
            run.next("recording")
            service.say(framed(1, order(order="pause")))
            paused = run.next("paused")
            service.say(framed(1, order(hide=[ball], stand_ins=[row])) + framed(2, bytes(moved)))
            shown = run.next("shown")
            assert shown["objects"]["1"] != paused["objects"]["1"]
            assert ball not in shown["objects"]
            assert shown["stand_ins"] == [2**62]
            service.hang_up()
            resumed = run.next("resumed")
            assert {**resumed, "event": "paused"} == paused
            service.welcome()
            run.next("recording")
            assert run.next("end")["state"] == play.alone[play.alone.check - 1]["state"]

    def test_a_service_that_ends_gives_the_game_back(self, served: Served, play: Play) -> None:
        run, client = play(served.url, steps=play.alone.check - 1, rate=60), served.client
        until(lambda: newest(client) >= 50)
        client.enter()
        paused = run.next("paused")
        client.seek(frame=5)
        assert shown_at(run, 5)["objects"] != paused["objects"]
        served.stop()
        resumed = run.next("resumed")
        assert resumed["state"] == paused["state"]
        assert resumed["objects"] == paused["objects"]
        assert run.next("end")["state"] == play.alone[play.alone.check - 1]["state"]
