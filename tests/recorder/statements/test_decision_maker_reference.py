"""Who makes a decision: the function's name, and a hash of its source file."""

from pathlib import Path

from playhead.recorder.statements.decision_maker_reference import digest_of, maker_of, reference


def decide(hp):
    return "flee" if hp < 3 else "fight"


def test_a_function_is_named_by_its_module_with_a_hash_of_its_file():
    maker = maker_of(decide)
    assert maker.settings["function"] == reference(decide) == f"{__name__}:decide"
    assert Path(maker.file) == Path(__file__)
    assert maker.digest == digest_of(__file__) != ""


def test_a_function_of_no_file_has_no_hash(tmp_path):
    assert (maker_of(len).file, maker_of(len).digest) == ("", "")
    assert digest_of(tmp_path / "gone.py") == ""
    assert digest_of("no\0file") == ""
