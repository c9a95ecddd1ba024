"""How large the measurements are."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """Every size is an option of the command line."""

    rows: int = 20_000_000
    """Rows of the large table."""
    files: int = 20
    """Files of the large table."""
    small_files: int = 10_000
    """Files of the table of small files."""
    small_rows: int = 1_000
    """Rows of each of them."""
    merged_files: int = 1_000
    """Files that are merged into one."""
    planned_files: int = 50_000
    """Files of the table that is only planned."""
    inserts: int = 200
    """One-row inserts on each backend."""
    rounds: int = 7
    """Times that each operation is measured."""


QUICK = Sizes(
    rows=400_000, small_files=300, small_rows=200, merged_files=100, planned_files=1_000, inserts=30, rounds=3
)
"""To see that everything runs; the bars are for the full sizes."""
