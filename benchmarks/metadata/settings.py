"""How large the measurements are."""

from dataclasses import dataclass

LIGHT = 20
"""Operations of a few milliseconds are repeated this many times as often as those that take long."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Every size is an option of the command line."""

    files: int = 100_000
    """Data files of the large parent."""
    depth: int = 1_000
    """Levels of the deepest chain of forks."""
    forks: int = 1_000_000
    """Forks in the large PostgreSQL lake."""
    sqlite_forks: int = 200_000
    """Forks in the large SQLite lake."""
    catalogs: int = 2_000
    """Forks made to weigh one of them."""
    history: int = 2_000
    """Commits of the catalog with a long history."""
    writers: int = 8
    """Processes that commit at the same time."""
    seconds: float = 5.0
    """How long the processes commit, each time."""
    rounds: int = 3
    """How often each number of processes is measured."""
    bulk_files: int = 10_000
    """Files of one large commit."""
    attachments: int = 10_000
    """Attachments open in one session."""
    sessions: int = 1_000
    """Sessions in one process."""
    tables: int = 100_000
    """Tables of one catalog."""
    columns: int = 10_000
    """Columns of a table beside the one that is measured."""
    snapshots: int = 1_000_000
    """Snapshots of one catalog."""
    repeats: int = 7
    """Times that each long operation is measured."""

    @property
    def light_repeats(self) -> int:
        return LIGHT * self.repeats


QUICK = Sizes(
    files=10_000,
    depth=100,
    forks=20_000,
    sqlite_forks=10_000,
    catalogs=500,
    history=500,
    writers=4,
    seconds=1.0,
    rounds=1,
    bulk_files=1_000,
    attachments=100,
    sessions=10,
    tables=1_000,
    columns=100,
    snapshots=10_000,
    repeats=3,
)
"""To see that everything runs; most bars are for the full sizes."""
