"""The node types of workspace trees, each a py_trees behaviour.

They differ from py_trees' own where noted. One rule applies to all: a child that was not executed
in a tick is stopped, and starts again when it is executed again; a child that was executed
continues. There is no memory: a selector and a sequence begin with their first child in each tick.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from py_trees import composites, decorators
from py_trees.behaviour import Behaviour
from py_trees.common import ParallelPolicy, Status

CountedStatus = Literal["success", "failure", "running", "any"]
Result = Literal["success", "failure"]


class Selector(composites.Selector):
    """Executes its children in order, up to the first that does not fail, and ends as that one."""

    def __init__(self, name: str, children: Iterable[Behaviour] = ()) -> None:
        super().__init__(name, memory=False, children=list(children))

    def tick(self) -> Iterator[Behaviour]:
        return _execute(self, goes_on=Status.FAILURE)


class Sequence(composites.Sequence):
    """Executes its children in order, up to the first that does not succeed, and ends as that."""

    def __init__(self, name: str, children: Iterable[Behaviour] = ()) -> None:
        super().__init__(name, memory=False, children=list(children))

    def tick(self) -> Iterator[Behaviour]:
        return _execute(self, goes_on=Status.SUCCESS)


class Parallel(composites.Parallel):
    """Executes all of its children and succeeds, however they end.

    py_trees' own looks at the results. A child that is running is not stopped by the success: it is
    executed again in the next tick.
    """

    def __init__(self, name: str, children: Iterable[Behaviour] = ()) -> None:
        super().__init__(name, ParallelPolicy.SuccessOnAll(synchronise=False), list(children))

    def tick(self) -> Iterator[Behaviour]:
        if self.status is not Status.RUNNING:
            self.initialise()
        for child in self.children:
            self.current_child = child
            yield from child.tick()
        self.stop(Status.SUCCESS)
        yield self

    def stop(self, new_status: Status = Status.INVALID) -> None:
        composites.Composite.stop(self, new_status)


class Inverter(decorators.Inverter):
    """Turns its child's success into failure and failure into success; running stays running."""

    def __init__(self, name: str, child: Behaviour) -> None:
        super().__init__(name, child)


class Count(decorators.Decorator):
    """Counts how often its child ended as `status`; at `times` it ends as `result`.

    Until then it is running. Having ended it counts from 0 again, and so it does after a tick in
    which it was not executed. py_trees' own only counts and passes its child's status on.
    """

    def __init__(
        self, name: str, child: Behaviour, status: CountedStatus = "success", times: int = 1,
        result: Result = "success",
    ) -> None:  # fmt: skip
        super().__init__(name, child)
        self.counted, self.times = status, times
        self.result = Status[result.upper()]
        self.count = 0

    def initialise(self) -> None:
        self.count = 0

    def update(self) -> Status:
        if self.counted in ("any", self.decorated.status.name.lower()):
            self.count += 1
        self.feedback_message = f"{self.count} of {self.times}"
        return self.result if self.count >= self.times else Status.RUNNING

    def stop(self, new_status: Status) -> None:
        # Unlike py_trees, a child that is running goes on: this tick has executed it.
        if new_status is Status.INVALID:
            self.decorated.stop(new_status)
        self.terminate(new_status)
        self.status = new_status


class ActionLeaf(Behaviour):
    """Does something that is over within the frame, and succeeds."""

    def __init__(self, name: str, do: Callable[[], str]) -> None:
        super().__init__(name)
        self._do = do
        """What it does, and its message."""

    def update(self) -> Status:
        self.feedback_message = self._do()
        return Status.SUCCESS


class TriggerCondition(Behaviour):
    """Asks something of the moment: success for yes, failure for no."""

    def __init__(
        self, name: str, ask: Callable[[], str], lacks: Callable[[], float] | None = None
    ) -> None:
        super().__init__(name)
        self._ask = ask
        """Why the answer is no; empty for yes."""
        self.lacks = lacks
        """How far it is from yes; None if there is no more or less."""

    def update(self) -> Status:
        self.feedback_message = self._ask()
        return Status.FAILURE if self.feedback_message else Status.SUCCESS


def _execute(node: composites.Composite, goes_on: Status) -> Iterator[Behaviour]:
    """Children in order until one ends otherwise than `goes_on`; those after it are stopped."""
    if node.status is not Status.RUNNING:
        node.initialise()
    end, last = goes_on, len(node.children)
    for index, child in enumerate(node.children):
        node.current_child = child
        yield from child.tick()
        if child.status is not goes_on:
            end, last = child.status, index
            break
    for child in node.children[last + 1 :]:
        if child.status is not Status.INVALID:
            child.stop(Status.INVALID)
    if end is Status.RUNNING:
        node.status = end
    else:
        node.stop(end)
    yield node
