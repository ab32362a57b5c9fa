"""What a decision came to, read back from the conditions and nodes that it looked at."""

from playhead.recorder.packets.reexecutable_decisions import (
    ConditionResult,
    DecisionResult,
    NodeResult,
)
from playhead.recorder.packets.trace_types import Rejected


def test_conditions_are_distinguished_by_what_held_and_what_won():
    result = DecisionResult(
        "flee", "hurt",
        conditions=(
            ConditionResult("armed", "fight", False, "ammo is 0"),
            ConditionResult("hurt", "flee", True),
            ConditionResult("bored", "patrol", True),
        ),
    )  # fmt: skip
    assert result.also_true == ("bored",)
    assert result.rejected == (Rejected("armed", "ammo is 0"),)


def test_the_path_has_the_nodes_that_were_ticked():
    nodes = (
        NodeResult("root", status="running"),
        NodeResult("fight"),
        NodeResult("flee", status="running"),
    )
    assert DecisionResult(nodes=nodes).path == ("root", "flee")
