# Every target sets up what it needs: the environment lives in .venv and follows requirements.lock.
# PySpark is published as source only; everything else is a wheel.

PYTHON ?= python3
ARGS ?=
BIN := .venv/bin
READY := .venv/.installed
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PYTEST := $(BIN)/python -m pytest --timeout=300

.DEFAULT_GOAL := help
.PHONY: help env test check unit demo format schema bench-metadata bench-data lock clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*##  *\(.*\)/\1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "make %-16s %s\n", $$1, $$2}'

env: $(READY)  ## create or update the environment in .venv

$(READY): requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) install --require-hashes --only-binary :all: --no-binary pyspark -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation -e .
	touch $@

test: check  ## everything that must pass before a change lands
	$(PYTEST) $(ARGS)

check: $(READY)  ## lint, formatting, types and import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

unit: $(READY)  ## only the tests that need no server, in seconds
	$(PYTEST) tests/unit $(ARGS)

format: $(READY)  ## format the code and fix what the linter can fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

schema: $(READY)  ## write the SQL files of the metadata tables anew
	$(BIN)/python -m forklake.store.ddl

demo: $(READY)  ## a lake in two minutes: load, fork, change, compare; options in ARGS="..."
	$(BIN)/python -m examples.demo $(ARGS)

bench-metadata: $(READY)  ## measure the metadata store; options in ARGS="..."
	$(BIN)/python -m benchmarks.metadata $(ARGS)

bench-data: $(READY)  ## measure the data path against plain Spark; options in ARGS="..."
	$(BIN)/python -m benchmarks.data $(ARGS)

lock: $(READY)  ## write requirements.lock anew from pyproject.toml; ARGS=--upgrade takes newer releases
	$(PIP) install uv
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-annotate \
		--custom-compile-command "make lock" --group dev --output-file requirements.lock $(ARGS) pyproject.toml

clean:  ## delete the environment and everything generated
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks dist build site
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
