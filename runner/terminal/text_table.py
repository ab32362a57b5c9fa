"""Rows of texts as aligned lines for a terminal."""

from collections.abc import Collection, Sequence


def table_lines(
    head: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[str]
) -> list[str]:
    """The head and the rows below one another, columns two spaces apart.

    Args:
        head: The names of the columns.
        left: The columns that are aligned to the left; the others are to the right.
    """
    lines = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if name in left else cell.rjust(width)
            for name, cell, width in zip(head, line, widths, strict=True)
        ).rstrip()
        for line in lines
    ]
