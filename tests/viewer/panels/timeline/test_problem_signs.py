"""Signs of problems at one place are one sign with a number."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.viewer.panels.timeline.problem_signs import signs_at


def test_those_at_one_place_share_a_sign_and_none_leaves_the_strip():
    assert signs_at([50.0, 10.0, 10.4], 0.0, 100.0) == [(10.0, 2), (50.0, 1)]
    assert signs_at([-5.0, 200.0], 4.0, 96.0) == [(4.0, 1), (96.0, 1)]
    assert signs_at([], 0.0, 1.0) == []
