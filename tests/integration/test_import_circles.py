"""No module imports itself by way of others, not even for its types.

Imports inside functions do not count: they are made when they are used, for instance because a
game without a bus needs no ZeroMQ.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import playhead

ROOT = Path(playhead.__file__).parent
PARTS = (
    "adapters", "agents", "bus", "cli", "games", "handlers", "hooks", "native", "playback",
    "recorder", "recording", "runner", "testing", "viewer",
)  # fmt: skip


def sources() -> dict[str, Path]:
    files = [*ROOT.glob("*.py"), *(f for part in PARTS for f in (ROOT / part).rglob("*.py"))]
    return {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
        for file in files
        if file.name not in ("setup.py", "__init__.py", "__main__.py")
    }


def imported(module: str, tree: ast.Module, known: dict[str, Path]) -> Iterator[str]:
    """The project's modules that a module imports when it is loaded, or for its types."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    inside = {
        id(node)
        for each in ast.walk(tree)
        if isinstance(each, functions)
        for node in ast.walk(each)
    }
    package = module.split(".")[:-1]
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or id(node) in inside or not node.level:
            continue
        base = package[: len(package) - node.level + 1]
        target = ".".join([*base, *([node.module] if node.module else [])])
        names = {f"{target}.{alias.name}".lstrip(".") for alias in node.names}
        yield from ({target} | names) & known.keys()


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The modules that can be reached from themselves, circle by circle."""
    reach: dict[str, set[str]] = {}
    for start in graph:
        seen: set[str] = set()
        waiting = list(graph[start])
        while waiting:
            module = waiting.pop()
            if module not in seen:
                seen.add(module)
                waiting.extend(graph[module])
        reach[start] = seen
    knots = {
        tuple(sorted({start} | {other for other in reach[start] if start in reach[other]}))
        for start in graph
        if start in reach[start]
    }
    return sorted(map(list, knots))


@pytest.mark.slow
def test_no_module_imports_itself_by_way_of_others() -> None:
    known = sources()
    graph = {
        module: set(imported(module, ast.parse(file.read_text("utf-8")), known)) - {module}
        for module, file in known.items()
    }
    assert sum(map(len, graph.values())) > 2000
    assert circles(graph) == []
