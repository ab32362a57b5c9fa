"""Says in words how often something happened."""


def how_often(count: int) -> str:
    """`never`, `once`, `1,234 times`."""
    return {0: "never", 1: "once"}.get(count, f"{count:,} times")
