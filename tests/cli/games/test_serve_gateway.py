"""`playhead serve` as a person or a script starts it, and how it ends."""

import contextlib
import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from playhead.bus.client.client import Client
from playhead.cli.games.serve_gateway import token_of
from playhead.native.ring import FrameRing
from playhead.recorder.reading.ring_source import RingSource

from ...bus.raw_websocket import RawWebSocket
from ...games.remote.game import GUARD, LIMIT, Game
from ...support.process import PLAYHEAD, Process, run_process
from ...support.waits import until

ANYWHERE = ("--bind", "tcp://127.0.0.1:*", "--gateway", "127.0.0.1:0")


def serving(*options: str) -> Process:
    return Process(PLAYHEAD, "serve", *ANYWHERE, *options)


def refused(*options: str) -> str:
    """What it says instead of serving."""
    done = run_process(PLAYHEAD, "serve", *options)
    assert done.returncode == 2, done
    assert done.stdout == ""
    return done.stderr


@pytest.mark.parametrize("signaled", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_it_listens_records_and_ends_in_good_order(
    tmp_path: Path, signaled: signal.Signals
) -> None:
    ring = tmp_path / "game.ring"
    with serving("--json", "--memory", "4 MiB", "--ring", str(ring)) as process:
        where = json.loads(process.line())
        assert where.keys() == {"endpoint", "gateway"}
        with Game(where["gateway"]) as game, Client(where["endpoint"], timeout=LIMIT) as tool:
            for step in range(3):
                game.frame({7: (GUARD, step)})
            until(lambda: tool.status().recorder["frames"] >= 3)
            process.send_signal(signaled)
            code, message, errors = process.end()
            assert game.closed() == 1001
    assert (code, errors) == (0, "")
    facts = json.loads(message)
    assert facts["frames"] == 3
    assert facts["frames_refused"] == facts["dropped"] == facts["games_refused"] == 0
    with FrameRing.open(ring) as kept:
        assert [packet.position[0] for packet in RingSource(kept).objects(3)] == [2.0]


@pytest.mark.parametrize(
    "count", [17, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 500))]
)
def test_ctrl_c_ends_it_whoever_does_not_read(count: int) -> None:
    with serving("--json") as process:
        where = json.loads(process.line())
        with contextlib.ExitStack() as stack:
            game, tool = (
                stack.enter_context(RawWebSocket.open(where["gateway"])) for _ in range(2)
            )
            game.ask(2, do="register_game", name="never reads")
            for number in range(count):
                game.ask(number + 3, do="define_type", number=1, name="x" * 1000)
                tool.ask(number + 2, do="enter" if number % 2 else "present")
            code, _, errors = process.interrupt()
    assert (code, errors) == (0, "")


def test_it_gives_a_paused_game_back_before_it_ends() -> None:
    with serving("--json") as process:
        where = json.loads(process.line())
        with Game(where["gateway"]) as game, Client(where["endpoint"], timeout=LIMIT) as tool:
            game.frame({7: (GUARD, 1)})
            until(lambda: tool.status().recorder["frames"] >= 1)
            game.post(do="enter")
            game.pauses()
            game.shows(1)
            process.send_signal(signal.SIGINT)
            assert game.resumes().objects == {7: 1.0}
            assert process.wait() == 0


def test_without_json_a_person_reads_it() -> None:
    with serving("--token", "my-own-secret-token") as process:
        tools, games = process.line(), process.line()
        assert tools.startswith("tools     tcp://127.0.0.1:")
        assert games.strip().endswith("/?token=my-own-secret-token")
        output = process.interrupt().stdout
    assert [line.split()[0] for line in output.splitlines()] == ["recorded", "refused", "dropped"]


def test_a_token_may_stand_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("kept-in-a-file-for-scripts\n")
    assert token_of(str(file)) == "kept-in-a-file-for-scripts"
    assert token_of("not-the-name-of-a-file") == "not-the-name-of-a-file"
    assert token_of("") == ""


def test_what_is_wrong_is_reported_before_anything_is_opened(
    tmp_path: Path, mistaken: Callable[..., str]
) -> None:
    ring = tmp_path / "game.ring"
    where = ("serve", *ANYWHERE, "--ring", ring)
    assert "--tls-cert" in mistaken(*where, "--gateway", "0.0.0.0:0")
    assert "16 characters" in mistaken(*where, "--token", "short")
    assert "--tls-key" in mistaken(*where, "--tls-cert", tmp_path / "cert.pem")
    assert "--clients" in mistaken(*where, "--keys", tmp_path / "a.key_secret")
    assert not ring.exists()


def test_off_loopback_the_tools_address_needs_keys(mistaken: Callable[..., str]) -> None:
    assert "playhead keys" in mistaken("serve", *ANYWHERE, "--bind", "tcp://0.0.0.0:*")


@pytest.mark.slow
def test_a_taken_port_is_reported_with_what_to_do() -> None:
    with serving("--json") as process:
        where = json.loads(process.line())
        port = where["endpoint"].rpartition(":")[2]
        assert "give another address" in refused(*ANYWHERE, "--bind", f"tcp://127.0.0.1:{port}")
        taken = where["gateway"].partition("?")[0].strip("/").rpartition(":")[2]
        assert "127.0.0.1:0" in refused(*ANYWHERE, "--gateway", f"127.0.0.1:{taken}")
