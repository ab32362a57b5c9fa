"""Links: what people paste leads back to the same file, instant and object."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.errors import CommandError
from playhead.playback.commands import LARGEST_ID, Leave, SeekFrame, SeekMark, SeekTime, Step
from playhead.playback.recording_url import RecordingLink, is_link

PRINTED = st.text(st.characters(min_codepoint=32, exclude_categories=("Cs",)), min_size=1)
TARGETS = st.one_of(
    PRINTED.map("/home/".__add__),
    PRINTED.map(lambda text: "C:/" + text.replace("\\", "/")),
    PRINTED.map(lambda text: "//server/share/" + text.replace("\\", "/")),
    st.integers(1, 65535).map("tcp://127.0.0.1:{}".format),
    st.just("tcp://[::1]:5670"),
)
INSTANTS = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"frame": st.integers(1, LARGEST_ID)}),
    st.fixed_dictionaries({"at": st.floats(allow_nan=False, allow_infinity=False)}),
    st.fixed_dictionaries({"mark": PRINTED}),
)


@given(TARGETS, INSTANTS, st.integers(0, LARGEST_ID))
def test_what_is_written_is_read_again(target, instant, focus):
    link = RecordingLink(target, focus=focus, **instant)
    text = str(link)
    assert RecordingLink.of(text) == link
    assert is_link(text)
    assert text.isascii()
    assert not set(text) & set(" \"'<>\\")


@given(st.text())
def test_whatever_is_pasted_is_a_link_or_a_clear_error(text):
    for pasted in (text, "playhead://" + text, "playhead:///a#" + text):
        try:
            link = RecordingLink.of(pasted)
        except CommandError as error:
            assert str(error)
        else:
            assert RecordingLink.of(str(link)) == link


@pytest.mark.parametrize(
    ("target", "written"),
    [
        ("/home/me/run 1#2.mcap", "playhead:///home/me/run%201%232.mcap"),
        ("/C:/odd.mcap", "playhead:///C%3A/odd.mcap"),
        ("C:/games/run.mcap", "playhead:///C:/games/run.mcap"),
        ("//server/share/run.mcap", "playhead:////server/share/run.mcap"),
        ("tcp://127.0.0.1:5670", "playhead://tcp://127.0.0.1:5670"),
        ("tcp://[::1]:5670", "playhead://tcp://[::1]:5670"),
    ],
)
def test_it_reads_like_the_place_it_leads_to(target, written):
    assert str(RecordingLink(target)) == written
    assert str(RecordingLink.of(written)) == written


@pytest.mark.parametrize(
    ("pasted", "link"),
    [
        ("playhead:///a.mcap#frame=7&focus=3", RecordingLink("/a.mcap", frame=7, focus=3)),
        ("  PLAYHEAD:///a.mcap#focus=3&at=1.5\n", RecordingLink("/a.mcap", at=1.5, focus=3)),
        ("playhead:///a.mcap#mark=it%20broke", RecordingLink("/a.mcap", mark="it broke")),
        ("playhead:///a.mcap#", RecordingLink("/a.mcap")),
        ("playhead://C:\\x\\y.mcap#frame=1", RecordingLink("C:/x/y.mcap", frame=1)),
        ("playhead://C:/x/y.mcap", RecordingLink("C:/x/y.mcap")),
        ("playhead://\\\\server\\share\\y.mcap", RecordingLink("//server/share/y.mcap")),
    ],
)
def test_links_that_people_type(pasted, link):
    assert RecordingLink.of(pasted) == link


def test_a_file_without_a_folder_is_the_one_in_the_working_folder(tmp_path):
    assert RecordingLink.of("playhead://run.mcap#frame=2").target == str(tmp_path / "run.mcap")
    assert RecordingLink.to("run.mcap").target == str(tmp_path / "run.mcap")
    assert RecordingLink.to(tmp_path / "run.mcap").target == str(tmp_path / "run.mcap")


def test_a_name_that_is_no_text_leads_back_to_its_bytes(tmp_path):
    name = str(tmp_path) + "/caf\udce9.mcap"
    link = RecordingLink.to(name, SeekFrame(1))
    assert str(link).endswith("/caf%E9.mcap#frame=1")
    assert RecordingLink.of(str(link)).target == name


@pytest.mark.parametrize(
    ("link", "command"),
    [
        (RecordingLink("/a"), None),
        (RecordingLink("/a", frame=7), SeekFrame(7)),
        (RecordingLink("/a", at=0.0), SeekTime(0.0)),
        (RecordingLink("/a", mark="m"), SeekMark("m")),
    ],
)
def test_it_says_the_seek_that_leads_there(link, command):
    assert link.command == command
    assert RecordingLink.to("/a", command) == link


@pytest.mark.parametrize("command", [Leave(), Step(1)])
def test_only_a_seek_leads_to_an_instant(command):
    with pytest.raises(CommandError, match="leads to no instant"):
        RecordingLink.to("/a", command)


@pytest.mark.parametrize(
    ("pasted", "message"),
    [
        ("", "is no link"),
        ("http://example.com", "is no link"),
        ("/a.mcap#frame=3", "is no link"),
        ("playhead://", "names no file"),
        ("playhead://#frame=3", "names no file"),
        ("playhead:///a#framme=3", "knows frame, at, mark, focus"),
        ("playhead:///a#frame", "frame can't be ''"),
        ("playhead:///a#frame=-1", "frame can't be '-1'"),
        ("playhead:///a#frame=0", "count from 1"),
        ("playhead:///a#frame=9999999999999999999999", "count from 1"),
        ("playhead:///a#at=soon", "at can't be 'soon'"),
        ("playhead:///a#at=nan", "finite"),
        ("playhead:///a#mark=", "mark can't be ''"),
        ("playhead:///a#frame=1&frame=2", "frame twice"),
        ("playhead:///a#frame=1&at=2", "one of frame, at and mark"),
        ("playhead:///a#focus=99999999999999999999", "object's id"),
        ("playhead:///a%00b", "control character"),
        ("playhead://https://example.com/a.mcap", "is no address"),
        ("playhead://tcp://127.0.0.1", "is no address"),
    ],
)
def test_what_is_wrong_is_named_with_the_part_that_is(pasted, message):
    with pytest.raises(CommandError, match=message):
        RecordingLink.of(pasted)


@pytest.mark.parametrize("target", ["run.mcap", "", "tcp://nowhere"])
def test_a_link_that_opens_only_from_here_can_not_be_made(target):
    with pytest.raises(CommandError, match="absolute path"):
        RecordingLink(target)
    if not target:
        with pytest.raises(CommandError, match="needs a file"):
            RecordingLink.to(target)
