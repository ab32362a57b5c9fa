"""Tests of clients/js: its example against a real gateway, in Chromium and without a window."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..support.process import run_process
from .support.chromium import Browser, Page, Pages, found
from .support.control_promises import ControlPromises
from .support.promises import Alone, Example, Promises, Served, newest, stamps, until

SOURCE = Path(__file__).parents[2] / "clients" / "js"


def _node() -> list[str] | None:
    """Node with the browsers' WebSocket, which versions before 22 have behind a switch."""
    program = shutil.which("node")
    for options in ([], ["--experimental-websocket"]):
        if program is None:
            return None
        asked = [program, *options, "-p", "typeof WebSocket"]
        if run_process(*asked).stdout.strip() == "function":
            return [program, *options]
    return None


NODE = _node()
needs_node = pytest.mark.skipif(NODE is None, reason="node with a WebSocket is not installed")
needs_browser = pytest.mark.skipif(found() is None, reason="chromium is not installed")
pytestmark = needs_node  # the reference is a run without a window


@pytest.fixture(scope="module")
def headless() -> list[str]:
    assert NODE is not None
    return [*NODE, str(SOURCE / "example" / "headless.js")]


@pytest.fixture(scope="module")
def alone(headless: list[str]) -> Alone:
    return Alone.of([*headless, "--steps", "600"])


@pytest.mark.slow  # C's client keeps these promises in each run of the tests
class TestWithoutWindow(Promises):
    @pytest.fixture
    def play(self, headless: list[str], alone: Alone) -> Iterator[Example]:
        with Example(headless, alone) as play:
            yield play


@pytest.mark.slow  # C's client keeps these promises in each run of the tests
class TestControlWithoutWindow(ControlPromises):
    @pytest.fixture
    def play(self, headless: list[str], alone: Alone) -> Iterator[Example]:
        with Example(headless, alone) as play:
            yield play


class InPages:
    """Starts the example in a page; see `Play`."""

    def __init__(self, browser: Browser, pages: Pages, alone: Alone) -> None:
        self._browser, self._pages = browser, pages
        self.alone = alone
        self.runs: list[Page] = []

    def __call__(self, url: str, *, steps: int, rate: int = 60) -> Page:
        quoted = url.replace("&", "%26").replace("+", "%2B")
        page = f"{self._pages.origin}/example/index.html?steps={steps}&rate={rate}&gateway={quoted}"
        run = self._browser.open(page)
        self.runs.append(run)
        return run


@pytest.fixture(scope="module")
def pages() -> Iterator[Pages]:
    pages = Pages(SOURCE)
    yield pages
    pages.close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.mark.slow
@needs_browser
class TestInABrowser(Promises, ControlPromises):
    deliveries = 5

    @pytest.fixture
    def origins(self, pages: Pages) -> tuple[str, ...]:
        return (pages.origin,)

    @pytest.fixture
    def play(self, browser: Browser, pages: Pages, alone: Alone) -> Iterator[InPages]:
        play = InPages(browser, pages, alone)
        yield play
        for run in play.runs:
            run.kill()

    def test_a_reloaded_page_opens_an_epoch_on_the_same_timeline(
        self, served: Served, play: InPages
    ) -> None:
        page, client = play(served.url, steps=20), served.client
        page.next("end")
        until(lambda: newest(client) == 20)
        page.reload()
        page.next("end")
        until(lambda: newest(client) == 40)
        rows = stamps(client)
        assert [epoch for *_, epoch, _ in rows] == [0] * 20 + [1] * 20
        assert rows[20][1] >= rows[19][1]

    def test_a_paused_page_ignores_its_player(self, served: Served, play: InPages) -> None:
        page, client = play(served.url, steps=200), served.client
        until(lambda: newest(client) > 10)
        pressed = "dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft'}))"
        picture = "document.querySelector('canvas').toDataURL()"
        turn = "new Promise(done => requestAnimationFrame(done))"
        drawn = f"{turn}.then(() => {turn}).then(() => {picture})"
        client.enter()
        page.next("paused")
        before = page.run(drawn)
        page.run(pressed)
        assert page.run(drawn) == before
        client.seek(frame=1)
        page.next("shown")
        assert page.run(drawn) != before

    def test_the_canvas_of_a_page_is_recorded(self, served: Served, play: InPages) -> None:
        page, client = play(served.url, steps=120), served.client
        page.next("end")
        pictures = list(client.recording.pictures("page"))
        assert 2 <= len(pictures) <= 30
        assert {one.format for one in pictures} == {"jpeg"}
        assert all(one.width <= 640 and one.height for one in pictures)
        pixels = pictures[-1].pixels()
        assert pixels.shape[:2] == (pictures[-1].height, pictures[-1].width)
        assert pixels.std() > 1  # something was drawn


# --- the module by itself -----------------------------------------------------------------------


def said(script: str) -> object:
    """What a script prints that uses the module."""
    assert NODE is not None
    head = f"import {{ Playhead }} from {json.dumps((SOURCE / 'playhead.js').as_uri())};\n"
    command = [*NODE, "--input-type=module", "-e", head + script]
    done = run_process(*command, check=True)
    return json.loads(done.stdout)


FAKE = """
const sockets = [];
class Fake {
  readyState = 1; bufferedAmount = 0; sent = [];
  constructor() { sockets.push(this); }
  send(data) { this.sent.push(typeof data === "string" ? data : new Uint8Array(data).slice()); }
  close() { this.readyState = 3; }
  tell(told) { this.onmessage({ data: told.byteLength ? told : JSON.stringify(told) }); }
  start() {
    this.onopen();
    this.tell({ sequence: 1, answer: { is: "welcome", origin: "me" } });
    this.tell({ sequence: 2, answer: { is: "done" } });
  }
}
const heard = [];
const plain = (given) => given?.values ?? String(given);
const note = (name) => (...given) => heard.push([name, ...given].map(plain));
const names = ["paused", "hide", "unhide", "shown", "resumed", "apply", "removeStandIn", "error"];
const on = Object.fromEntries(names.map((name) => [name, note(name)]));
const playhead = new Playhead("ws://x", { on, WebSocket: Fake, queueLimit: 1, frameLimit: 4096 });
const type = playhead.type(32, "thing", { x: "<i4" });
const [socket] = sockets;
socket.start();
const frame = (time, x) => {
  playhead.begin(time, 1);
  playhead.add(type, 7, {}, { x });
  return playhead.end();
};
const order = (order) => socket.tell({ sequence: 9, order });
"""


def test_every_format_of_a_field_comes_back() -> None:
    values = said(
        FAKE
        + """
        const all = playhead.type(33, "all", { a: "|b1", b: "|i1", c: "<u2", d: "<i8", e: "<u8",
            f: { format: "<f4", shape: [2, 2] }, g: "|S4", h: "<U3" },
            { tail: { format: "<u2", name: "more", shape: [2] } });
        const given = { a: true, b: -3, c: 65535, d: -(2n ** 62n), e: 2n ** 63n, f: [1, 2, 3, 4],
            g: "abc", h: "a🎮", more: [1, 2, 3, 4] };
        const bytes = all.bytes(given);
        const back = all.read(new DataView(bytes.buffer), 0, bytes.length);
        console.log(JSON.stringify([bytes.length, all.ask.fields, back],
            (_, v) => typeof v === "bigint" ? String(v) : v));
        playhead.close();
        """
    )
    assert values == [
        1 + 1 + 2 + 8 + 8 + 16 + 4 + 12 + 8,
        [["a", "|b1", []], ["b", "|i1", []], ["c", "<u2", []], ["d", "<i8", []], ["e", "<u8", []],
         ["f", "<f4", [2, 2]], ["g", "|S4", []], ["h", "<U3", []]],
        {"a": True, "b": -3, "c": 65535, "d": str(-(2**62)), "e": str(2**63), "f": [1, 2, 3, 4],
         "g": "abc", "h": "a🎮", "more": [1, 2, 3, 4]},
    ]  # fmt: skip


def test_a_frame_without_room_is_dropped_and_reported_before_the_game_is_paused() -> None:
    """Its delta goes to the next frame; and the frame that the game stands at has to get there."""
    got = said(
        FAKE
        + """
        const delta = (bytes) => new DataView(bytes.buffer).getFloat64(32, true);
        const frames = () => socket.sent.filter((data) => typeof data !== "string").map(delta);
        const results = [frame(1, 1)];
        socket.bufferedAmount = 1 << 20;
        results.push(frame(2, 2), frame(3, 3));
        order({ order: "pause" });
        results.push(playhead.live, heard.length, playhead.counts.framesDropped);
        socket.bufferedAmount = 0;
        setTimeout(() => {
            const last = socket.sent.at(-1);
            console.log(JSON.stringify([results, frames(), JSON.parse(last).ask, heard]));
            playhead.close();
        }, 200);
        """
    )
    assert got == [[True, False, False, False, 0, 2], [1, 2], {"do": "paused"}, [["paused"]]]


def test_what_makes_no_sense_is_reported_and_passed_over() -> None:
    got = said(
        FAKE
        + """
        frame(1, 5);
        const whole = socket.sent.at(-1);
        order({ order: "pause" });
        heard.length = 0;
        socket.tell(whole.buffer);
        socket.onmessage({ data: "{" });
        order({ order: "show", frame: 1, hide: 5 });
        order({ order: "show", frame: 1, hide: ["x"] });
        for (let at = 0; at < whole.length; at += 4) {
            for (const word of [0, 1, 0x7fffffff, 0xffffffff]) {
                const bytes = whole.slice();
                new DataView(bytes.buffer).setUint32(at, word, true);
                order({ order: "show", frame: 1, time: 1, image: true });
                socket.tell(bytes.buffer);
            }
        }
        for (let size = 0; size < whole.length; size += 5) {
            order({ order: "show", frame: 1, time: 1, image: true });
            socket.tell(whole.buffer.slice(0, size));
        }
        const kinds = new Set(heard.map(([name]) => name));
        heard.length = 0;
        order({ order: "show", frame: 1, time: 1, image: true, hide: ["9007199254740993"] });
        socket.tell(whole.buffer);
        console.log(JSON.stringify([[...kinds].sort(), heard]));
        playhead.close();
        """
    )
    assert got == [
        ["apply", "error", "shown"],
        [["apply", {"x": 5}], ["hide", "9007199254740993"], ["shown", "1", "1"]],
    ]
