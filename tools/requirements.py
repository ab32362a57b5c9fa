"""Print what an extra of pyproject.toml requires, one a line, for pip and xargs."""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
for extra in sys.argv[1:]:
    for requirement in project["optional-dependencies"][extra]:
        sys.stdout.write(requirement.replace(" ", "") + "\n")
