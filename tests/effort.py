"""How hard generated tests try: `make test-long` gives ten times as many examples as `make test`."""

import os

EFFORT = int(os.environ.get("FORKLAKE_TEST_EFFORT", "1"))


def examples(count: int) -> int:
    """How many examples to generate where `make test` takes `count`."""
    return count * EFFORT
