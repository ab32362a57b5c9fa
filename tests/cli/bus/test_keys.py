"""`playhead keys`: a pair of files, and what it says of them."""

import json

import pytest

from playhead.bus.messages.encryption_keys import load, load_public
from playhead.cli import main as cli


def keys(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as exit:
        cli.main(["keys", *args])
    shown = capsys.readouterr()
    return exit.value.code, shown.out, shown.err


def test_it_makes_a_pair_here_and_says_what_each_half_is_for(tmp_path, capsys):
    code, out, err = keys(capsys, "ann")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "public   ann.key   hand it out",
        "secret   ann.key_secret   keep it to yourself",
        "as a service: --keys ann.key_secret --clients FOLDER, with the public key of each tool"
        " in it",
        "as a tool:    --keys ann.key_secret --server FILE, the service's public key",
    ]
    assert load(tmp_path / "ann.key_secret").public == load_public(tmp_path / "ann.key")
    assert (tmp_path / "ann.key_secret").stat().st_mode & 0o077 == 0


def test_the_folder_is_made(tmp_path, capsys):
    code, out, _ = keys(capsys, "studio", "--dir", "far/away", "--json")
    assert code == 0
    result = json.loads(out)
    assert result == {"public": "far/away/studio.key", "secret": "far/away/studio.key_secret"}
    assert load(tmp_path / result["secret"])


def test_keys_that_are_there_are_left_alone(tmp_path, capsys):
    keys(capsys, "ann")
    before = (tmp_path / "ann.key_secret").read_bytes()
    code, out, err = keys(capsys, "ann")
    assert (code, out) == (2, "")
    assert err == "playhead: ann.key exists: take another name, or remove it first\n"
    assert (tmp_path / "ann.key_secret").read_bytes() == before


@pytest.mark.parametrize("name", ["", "a/b", "../x"])
def test_a_name_that_is_no_files_name_is_refused(capsys, name):
    code, _, err = keys(capsys, name)
    assert code == 2
    assert "give a plain name" in err
