"""Log lines that can't harm the game: their texts come from games and tools, and log handlers may
fail."""

import logging

from .terminal_text import terminal_text


def log_safely(
    logger: logging.Logger, level: int, text: str, *parts: object,
    error: BaseException | None = None,
) -> bool:  # fmt: skip
    """Log a text whose parts may come from anywhere; False if a handler or a filter of it broke.

    Args:
        text: Of one line or several. Control characters in it are escaped.
        parts: The values for each `%s` in it.
        error: Its traceback is logged as well.
    """
    try:
        logger.log(level, "%s", terminal_text(text % parts if parts else text), exc_info=error)
    except Exception:  # a log that breaks is not the game's to suffer
        return False
    return True
