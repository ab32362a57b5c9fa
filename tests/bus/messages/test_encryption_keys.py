"""Keys: made, read back, and refused where they are none."""

import stat

import pytest
import zmq

from playhead.bus.messages.encryption_keys import (
    PUBLIC,
    SECRET,
    ClientKeys,
    KeyPair,
    ServerKeys,
    load,
    load_public,
    make,
)
from playhead.errors import CommandError


def test_a_pair_is_made_and_read_back(tmp_path):
    public, secret = make("studio", tmp_path / "keys")
    assert (public.name, secret.name) == (f"studio{PUBLIC}", f"studio{SECRET}")
    pair = load(secret)
    assert load_public(public) == load_public(secret) == pair.public
    assert zmq.curve_public(pair.secret) == pair.public


def test_nobody_else_may_read_the_secret_one(tmp_path):
    public, secret = make("studio", tmp_path)
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert stat.S_IMODE(public.stat().st_mode) == 0o644
    assert load(secret).secret not in public.read_bytes()


def test_two_pairs_differ(tmp_path):
    assert load(make("a", tmp_path)[1]) != load(make("b", tmp_path)[1])


def test_keys_that_are_there_are_not_written_over(tmp_path):
    _, secret = make("studio", tmp_path)
    before = secret.read_bytes()
    with pytest.raises(CommandError, match="exists"):
        make("studio", tmp_path)
    assert secret.read_bytes() == before


@pytest.mark.parametrize("name", ["", "a/b", "../x", "."])
def test_a_name_that_is_none_for_a_file_is_refused(name, tmp_path):
    with pytest.raises(CommandError, match="name"):
        make(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_public_file_holds_no_secret_key(tmp_path):
    public, _ = make("studio", tmp_path)
    with pytest.raises(CommandError, match=SECRET):
        load(public)


@pytest.mark.parametrize(
    "text",
    [b"", b"nonsense", b"\xff\xfe\x00", b"curve\n    public-key = \"short\"\n",
     b"curve\n    public-key = \"" + b"~" * 40 + b"\"\n"],
)  # fmt: skip
def test_a_file_without_keys_is_refused_by_its_name(text, tmp_path):
    file = tmp_path / "broken.key"
    file.write_bytes(text)
    for read in (load, load_public):
        with pytest.raises(CommandError, match=r"broken\.key"):
            read(file)


def test_a_file_that_is_not_there_is_refused_by_its_name(tmp_path):
    with pytest.raises(CommandError, match=r"none\.key"):
        load_public(tmp_path / "none.key")


def test_options_are_the_names_that_sockets_have(tmp_path):
    pair = load(make("a", tmp_path)[1])
    with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
        for options in (
            ServerKeys(pair, tmp_path).server_options,
            ClientKeys(pair, pair.public).client_options,
        ):
            for name, value in options.items():
                setattr(socket, name, value)


def test_a_folder_without_public_keys_is_refused(tmp_path):
    pair = KeyPair(b"", b"")
    for folder in (tmp_path, tmp_path / "none"):
        with zmq.Context() as context, pytest.raises(CommandError, match=PUBLIC):
            ServerKeys(pair, folder).guard(context)
