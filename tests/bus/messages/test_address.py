"""Addresses as people type them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.bus.messages.address import Address
from playhead.errors import CommandError


@pytest.mark.parametrize(
    ("typed", "host", "port"),
    [
        ("5671", "127.0.0.1", 5671),
        (":5671", "127.0.0.1", 5671),
        ("", "127.0.0.1", 5670),
        ("10.0.0.5", "10.0.0.5", 5670),
        ("localhost:80", "localhost", 80),
        ("tcp://localhost", "localhost", 5670),
        ("tcp://127.0.0.1:*", "127.0.0.1", 0),
        ("tcp://[::1]:*", "::1", 0),
        ("[fe80::1]:99", "fe80::1", 99),
        ("  tcp://10.1.2.3:4/ ", "10.1.2.3", 4),
        ("ws://127.0.0.1:5671", "127.0.0.1", 5671),
        ("*:7", "*", 7),
        ("my-machine.example:65535", "my-machine.example", 65535),
    ],
)
def test_what_people_type_is_understood(typed, host, port):
    assert Address.of(typed) == Address(host, port)


@pytest.mark.parametrize(
    "typed",
    ["http://x", "a b", "1.2.3.4:65536", "::1", "a:b", "tcp://", "x:99999999999999999", "²", "a\nb",
     "ipc:///tmp/x", "tcp://a:1:2", "[::1", "a/b"],
)  # fmt: skip
def test_what_is_none_is_refused_with_an_example(typed):
    if typed == "tcp://":
        assert Address.of(typed) == Address("127.0.0.1", 5670)
        return
    with pytest.raises(CommandError) as raised:
        Address.of(typed)
    assert repr(typed) in str(raised.value)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True),
        ("0.0.0.0", False), ("*", False), ("::", False), ("10.0.0.1", False),
        ("192.168.1.2", False), ("example.org", False), ("localhost.example", False),
        ("127.0.0.1.example", False),
    ],
)  # fmt: skip
def test_only_what_this_machine_alone_can_reach_is_loopback(host, loopback):
    assert Address(host, 1).loopback is loopback


def test_an_endpoint_is_what_was_meant_when_it_is_read_again():
    for address in (Address("127.0.0.1", 5670), Address("::1", 0), Address("::1", 7)):
        assert Address.of(address.endpoint) == address
    assert Address("127.0.0.1", 0).endpoint == "tcp://127.0.0.1:*"
    assert Address("::1", 70).authority == "[::1]:70"
    assert Address("::1", 70).at(0) == Address("::1", 0)


@given(st.text(max_size=30))
def test_any_text_is_an_address_or_refused(text):
    try:
        address = Address.of(text)
    except CommandError:
        return
    assert address.host
    assert 0 <= address.port <= 65535
    assert Address.of(address.endpoint) == address
