"""Runs one harness in this process: `python -m fuzz.harness NAME [libFuzzer's options]`."""

import importlib
import sys
from typing import Any


def main() -> None:
    atheris: Any = importlib.import_module("atheris")  # of the extra `fuzz`
    name = sys.argv.pop(1)
    with atheris.instrument_imports(include=["playhead", "fuzz"]):
        module = importlib.import_module(f"{__package__}.{name}")
    atheris.Setup(sys.argv, module.one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
