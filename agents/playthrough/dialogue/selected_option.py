"""Parses a game's cursor column: the option that the cursor is on."""

Option = str | float


def parse_option(value: object) -> Option | None:
    """The option in a cursor's column, by name or number; None where there is no cursor."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return None if value < 0 else float(value)
    return None
