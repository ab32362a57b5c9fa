"""Layouts that are kept in a file."""

import pytest

from playhead.errors import CommandError
from playhead.viewer.state.panel_layouts import LAST, PRESETS, SavedLayouts


def test_the_presets_show_no_panel_twice_and_always_the_timeline():
    for layout in PRESETS.values():
        assert len(set(layout.docks)) == len(layout.docks)
        assert {"Objects", "Timeline"} <= set(layout.docks)
        assert not layout.heights or len(layout.heights) == len(layout.right)


def test_what_is_saved_is_there_for_the_next_window(tmp_path):
    saved = SavedLayouts(tmp_path)
    saved.save("Mine", "abc")
    saved.keep_last("xyz")
    again = SavedLayouts(tmp_path)
    assert again.names == ["Mine"]
    assert (again.get("Mine"), again.get(LAST)) == ("abc", "xyz")
    again.forget("Mine")
    assert SavedLayouts(tmp_path).names == []
    assert SavedLayouts(tmp_path).get(LAST) == "xyz"


@pytest.mark.parametrize("name", ["", "  ", "AI", "log", "x" * 61])
def test_a_preset_s_name_and_none_are_refused(tmp_path, name):
    with pytest.raises(CommandError, match="layout"):
        SavedLayouts(tmp_path).save(name, "abc")


def test_what_is_not_there_can_t_be_forgotten(tmp_path):
    with pytest.raises(CommandError, match="Mine"):
        SavedLayouts(tmp_path).forget("Mine")


@pytest.mark.parametrize("text", ["{", "[1]", '{"Mine": 3}', "[" * 5000])
def test_a_damaged_file_is_reported_and_never_written_over(tmp_path, text):
    path = tmp_path / "layouts.json"
    path.write_text(text)
    saved = SavedLayouts(tmp_path)
    assert str(path) in saved.error_text
    with pytest.raises(CommandError, match="not saved"):
        saved.save("Mine", "abc")
    assert path.read_text() == text
