"""A hash of what an environment returns, by which two runs are compared."""

import hashlib
from collections.abc import Iterable
from typing import Any


def hash_of(results: Iterable[Any]) -> str:
    """A hash of all results. Each is hashed before the next one is asked for, since environments
    may return the same array again."""
    digest = hashlib.sha256()
    for result in results:
        digest.update(repr(result).encode())
    return digest.hexdigest()
