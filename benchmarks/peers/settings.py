"""How large the measurements are."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """Every size is an option of the command line."""

    scale: float = 1.0
    """Scale factor of TPC-H."""
    query_rounds: int = 2
    """Times that each query is measured."""
    changed_warm_ups: int = 4
    """Times that each query of changed tables runs before that, besides the one that compares answers."""
    write_rounds: int = 5
    """Times that the tables are loaded and changed."""
    change_scale: float = 0.25
    """Scale factor of the table whose changes are measured one by one."""
    change_rounds: int = 2
    """Times that each change is measured."""
    commits: int = 1_000
    """Commits of one row each, of ours; DuckLake makes a fifth of them."""
    peer_commits: int = 40
    """The same of Iceberg and Delta, which take longer for one."""
    snapshots: int = 5_000
    """Snapshots of our table that is read as it was in their middle."""
    peer_snapshots: int = 20
    """The same of Iceberg and Delta."""
    lookup_rows: int = 10_000
    """Rows of the table in which single ones are looked up."""
    planned_files: int = 100_000
    """Files of the table that is planned by us alone; a tenth of them by the peers too."""
    forks: int = 100
    """Forks of the lake with eight tables, each way."""
    peer_forks: int = 4
    """Branches of all eight tables in Iceberg and in Delta."""
    bulk_forks: int = 500_000
    """Forks made by many clients of one PostgreSQL."""
    clients: int = 64
    """How many clients, each in a session of its own."""
    pooled: int = 16
    """Sessions as a pool would hold them, which make a fifth of the forks."""
    depth: int = 1_000
    """Forks of forks, in a chain."""
    most_tables: int = 8_000
    """Tables of a large catalog that is forked."""
    catalogs: int = 1_000_000
    """Catalogs of the largest lake."""
    table_files: int = 1_000_000
    """Files of the largest table."""
    small_rounds: int = 5
    """Times that each piece of small work is measured."""


QUICK = Sizes(
    scale=0.01,
    query_rounds=1,
    changed_warm_ups=0,
    write_rounds=1,
    change_scale=0.01,
    change_rounds=1,
    commits=60,
    peer_commits=3,
    snapshots=100,
    peer_snapshots=5,
    lookup_rows=1_000,
    planned_files=2_000,
    forks=10,
    peer_forks=1,
    bulk_forks=2_000,
    clients=8,
    pooled=4,
    depth=10,
    most_tables=80,
    catalogs=2_000,
    table_files=2_000,
    small_rounds=2,
)
"""To see that everything runs and gives the same; the bars are for the full sizes."""
