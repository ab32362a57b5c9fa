"""How state machines of Hypothesis are run: few examples by default, many where asked for."""

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test


def run_state_machine(machine: Any, *, examples: int, thorough_examples: int, steps: int) -> None:
    """Run a machine's examples; `thorough_examples` of them under a profile with more than usual.

    What an earlier run counted in the machine's `tally` is cleared.
    """
    thorough = settings.default is not None and settings.default.max_examples > 100
    machine.tally.clear()
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=thorough_examples if thorough else examples, stateful_step_count=steps,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )  # fmt: skip
