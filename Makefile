# Every target sets up what it needs: the environment lives in .venv and follows requirements.lock.
# PySpark is published as source only; everything else is a wheel.

PYTHON ?= python3
ARGS ?=
BIN := .venv/bin
READY := .venv/.installed
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PYTEST := $(BIN)/python -m pytest --timeout=300 --durations=15
VERSION ?= 4.1
OTHER := .venv-spark-$(VERSION)

.DEFAULT_GOAL := help
.PHONY: help env test test-long test-rows test-rest test-spark check unit demo format schema docs bench-metadata bench-data bench-small bench bench-alone bench-guard trust trust-long lock clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*##  *\(.*\)/\1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "make %-16s %s\n", $$1, $$2}'

env: $(READY)  ## create or update the environment in .venv

$(READY): requirements.lock pyproject.toml
	@echo "Installing what Forklake needs into .venv: 1.5 GB, some minutes the first time."
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) install --require-hashes --only-binary :all: --no-binary pyspark -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation -e .
	touch $@

# Two processes: each waits for disks and servers half of its time.
test: check  ## everything that must pass before a change lands
	$(MAKE) --no-print-directory --jobs=2 test-rows test-rest

test-rows: $(READY)
	$(PYTEST) tests/spark

test-rest: $(READY)
	$(PYTEST) --ignore=tests/spark

test-long: $(READY)  ## the same tests with ten times the examples, and every pair of database and catalog
	FORKLAKE_TEST_EFFORT=10 FORKLAKE_TEST_PAIRS=all $(PYTEST) --timeout=3000 $(ARGS)

# PySpark before 4.3 leaves sockets for the garbage collector to close.
test-spark: $(OTHER)/.installed  ## the tests of the data path on another PySpark: VERSION=4.1
	$(OTHER)/bin/python -m pytest --timeout=300 -p no:cacheprovider -W ignore::ResourceWarning tests/spark tests/sql $(ARGS)

# All that the lock has but PySpark, of which the newest release of the version is taken.
$(OTHER)/.installed: requirements.lock pyproject.toml
	test -x $(OTHER)/bin/python || $(PYTHON) -m venv $(OTHER)
	awk '/^[a-z]/ { kept = !/^pyspark==/ } kept' requirements.lock > $(OTHER)/requirements.txt
	$(OTHER)/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes --only-binary :all: \
		-r $(OTHER)/requirements.txt
	$(OTHER)/bin/python -m pip --disable-pip-version-check --quiet install --no-binary pyspark "pyspark==$(VERSION).*"
	$(OTHER)/bin/python -m pip --disable-pip-version-check --quiet install --no-deps --no-build-isolation -e .
	touch $@

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

demo: $(READY)  ## a lake in about a minute: load, fork, change, compare; options in ARGS="..."
	$(BIN)/python -m examples.demo $(ARGS)

docs: $(READY)  ## build the documents as a site in site/; every warning is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

bench-metadata: $(READY)  ## measure the metadata store; options in ARGS="..."
	$(BIN)/python -m benchmarks.metadata $(ARGS)

bench-data: $(READY)  ## measure the data path against plain Spark; options in ARGS="..."
	$(BIN)/python -m benchmarks.data $(ARGS)

# Iceberg and Delta have no release for the newest Spark: this comparison runs on one that all support.
bench-small: $(READY)  ## measure small work without Spark beside DuckLake; options in ARGS="..."
	$(BIN)/python -m benchmarks.small $(ARGS)

bench: $(OTHER)/.installed  ## measure beside Iceberg, Delta, DuckLake and plain Spark; options in ARGS="..."
	$(OTHER)/bin/python -m benchmarks.peers $(ARGS)

bench-alone: $(READY)  ## TPC-H on the newest Spark, without Iceberg and Delta; options in ARGS="..."
	$(BIN)/python -m benchmarks.peers --alone --json .benchmarks/alone.json $(ARGS)

bench-guard: $(READY)  ## compare a few ratios with the recorded ones, in minutes; ARGS=--record takes new ones
	$(BIN)/python -m benchmarks.peers.guard $(ARGS)

trust: $(READY)  ## try to break it for half an hour, and count; options in ARGS="..."
	$(BIN)/python -m trust $(ARGS)

trust-long: $(READY)  ## ten times as much of everything
	$(BIN)/python -m trust --long $(ARGS)

lock: $(READY)  ## write requirements.lock anew from pyproject.toml; ARGS=--upgrade takes newer releases
	$(PIP) install uv
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-annotate \
		--custom-compile-command "make lock" --group dev --output-file requirements.lock $(ARGS) pyproject.toml

clean:  ## delete the environment and everything generated
	rm -rf .venv .venv-spark-* .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks dist build site
	find src tests benchmarks trust -name __pycache__ -type d -prune -exec rm -rf {} +
