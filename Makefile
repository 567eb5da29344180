# Everything is set up in .venv inside the checkout; a target that needs it makes it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-all lint types check check-slow coverage site release clean

demo: $(READY)
	@$(BIN)/marrow reduce examples/demo/shop.py examples/demo/test.sh -o examples/demo/shop.reduced.py

# What a contributor runs: a few minutes on two cores.
test: lint types check

# Clusters, terminals, browsers, long runs too: what CI runs.
test-all: test check-slow

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

PYTEST := $(BIN)/pytest -n auto --maxprocesses 4 --dist loadfile --durations=25

check: $(READY)
	$(PYTEST) -m 'not slow'

check-slow: $(READY)
	$(PYTEST) -m slow

coverage: $(READY)
	$(BIN)/coverage run -m pytest
	$(BIN)/coverage report --skip-covered

# The documentation as a site, in build/site; a link to nowhere is an error.
site: $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[docs]'
	$(BIN)/mkdocs build --strict --quiet

# The sdist and the wheel, each installed into a bare environment and tried.
release: $(READY)
	$(BIN)/python -m tools.release

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("marrow needs Python 3.11 or later; this is " + sys.version.split()[0] + ". Say which one to use: make PYTHON=python3.12 ...") if sys.version_info < (3, 11) else None'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "setting up $(VENV) (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,train,cluster,mcp]'
	@touch $(READY)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage build dist
