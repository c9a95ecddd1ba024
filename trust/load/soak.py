"""How large a soak is, and what there is in its lake."""

from dataclasses import dataclass

BASE = "base"
"""The catalog that most forks are made of. Nobody writes to it."""
HOT = ("hot_0", "hot_1", "hot_2")
"""Catalogs that every session writes to."""
TABLE = "t"
BASE_ROWS = 5
POOL_SIZE = 16
"""The most connections that the pool of one attachment opens."""
ATTACHING_AT_ONCE = 4
"""In one process; each has a pool of its own, of which it uses one connection."""
APPLICATION = "forklake-soak"
"""By this name the database tells our connections from others."""


@dataclass(frozen=True, slots=True)
class Soak:
    """One run. The choices of a session follow from the seed and its number, whatever the others do."""

    url: str
    """Of the metadata database: PostgreSQL."""
    data_path: str
    seed: int
    seconds: float
    sessions: int = 300
    processes: int = 4
    """0 puts all sessions into this process."""
    pause: float = 1.0
    """The mean of the moments, in seconds, that a session waits between two operations."""
    own_forks: int = 2
    """The most that a session has at a time. It drops the oldest before it makes another."""

    @property
    def interval(self) -> float:
        """Seconds between two reports: so many that a long run has no more of them than a short one needs."""
        return max(self.seconds / 45, 0.25)

    @property
    def clients(self) -> int:
        """Processes with sessions, or what stands for one in this process."""
        return max(self.processes, 1)

    @property
    def most_connections(self) -> int:
        """What the pools may open: one pool for each process, upkeep included, and those of attaching sessions."""
        return (self.clients + 1) * POOL_SIZE + self.clients * ATTACHING_AT_ONCE

    def numbers_of(self, client: int) -> range:
        """The sessions of a client."""
        return range(client, self.sessions, self.clients)
