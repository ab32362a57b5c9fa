"""A page from elsewhere, in a real browser: it can reach every loopback port, and gets nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from .conftest import RunningService, running
from .support.chromium import Browser, Page, Pages, found

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(found() is None, reason="chromium is not installed"),
]

TRY = """
(url) => new Promise((resolve) => {
    const told = []
    const socket = new WebSocket(url, %s)
    socket.onopen = () => {
        told.push("open")
        socket.send(JSON.stringify({origin: "", sequence: 1,
                                    ask: {do: "hello", name: "page", protocol: [1, 0]}}))
    }
    socket.onmessage = (event) => { told.push(event.data); socket.close() }
    socket.onclose = () => resolve(told)
    setTimeout(() => { socket.close(); resolve(told) }, 5000)
})
"""
ASK = """
(url) => fetch(url, {method: "POST", body: "x".repeat(100)})
    .then((answer) => answer.text()).then((text) => [text], () => [])
"""


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Pages]:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<title>elsewhere</title>")
    pages = Pages(tmp_path / "site")
    yield pages
    pages.close()


@pytest.fixture
def page(tmp_path: Path, elsewhere: Pages) -> Iterator[Page]:
    with Browser(tmp_path / "profile") as browser:
        page = browser.open(f"{elsewhere.origin}/index.html")
        page.run("new Promise((done) => document.readyState === 'complete' ? done()"
                 " : addEventListener('load', done))")  # fmt: skip
        yield page
        page.kill()


def tried(page: Page, script: str, url: str, protocols: str = "[]") -> list[Any]:
    """What a page got to hear from an address."""
    text = script.replace("%s", protocols) if "%s" in script else script
    heard = page.run(f"({text.strip()})({url!r})")
    assert isinstance(heard, list)
    return heard


def test_a_page_from_elsewhere_gets_nothing_from_any_port(
    page: Page, service: RunningService
) -> None:
    bare = service.url.partition("?")[0]
    token = service.url.partition("token=")[2]
    assert tried(page, TRY, bare) == []
    assert tried(page, TRY, service.url) == [], "the token alone lets no page in"
    assert tried(page, TRY, bare, f"['playhead.{token}']") == []
    assert tried(page, ASK, bare.replace("ws:", "http:")) == []
    with service.client() as client:
        ports = [urlsplit(service.address).port, client.welcome.events, client.welcome.times]
        for port in ports:
            assert tried(page, TRY, f"ws://127.0.0.1:{port}/") == []
            assert tried(page, ASK, f"http://127.0.0.1:{port}/") == []
        # Nobody was let in, and everybody else is served as before.
        assert client.snapshot().tools == (client.origin,)


def test_a_page_on_the_list_is_let_in_with_the_token_only(page: Page, elsewhere: Pages) -> None:
    with running("--origin", elsewhere.origin) as service:
        bare = service.url.partition("?")[0]
        assert tried(page, TRY, bare) == []
        opened, welcome = tried(page, TRY, service.url)
        assert opened == "open"
        assert '"welcome"' in welcome
