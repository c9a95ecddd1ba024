"""What is wrong with how a soak went. Every rule is a function of the record, and answers in sentences."""

from collections.abc import Callable, Iterator
from statistics import median

from trust.load.client import UPKEEP
from trust.load.growth import growth
from trust.load.meter import Held
from trust.load.record import Record

MIB = 2**20
MEMORY_SHARE = 0.04
LEAST_MEMORY = 6 * MIB
THREADS = 8
"""As many may come and go: those of the pools of sessions that attach."""
FILES = 12
FAIR_SHARE = 0.2
"""A session that does less than this part of what most do starves."""
LEFT_FILES = 3
"""What Python and libraries open once and keep: a source of chance, a poll."""


def judge(record: Record) -> dict[str, tuple[str, ...]]:
    """What was found, by subject; a subject with nothing found is there as well."""
    return {subject: tuple(rule(record)) for subject, rule in RULES.items()}


def memory(record: Record) -> Iterator[str]:
    """Over the second half, the memory of no client may rise by more than a few percent.

    Bounded caches go on filling for a while, and the allocator keeps what it may need again. Neither goes on for
    ever: a leak does, so the longer the run, the smaller the leak that is seen.
    """
    for client in record.before:
        rise = _growth(record, client, lambda held: held.memory)
        allowed = max(LEAST_MEMORY, MEMORY_SHARE * record.moments[-1].held[client].memory)
        if rise > allowed:
            yield (
                f"{_name(client)}: memory grew by {rise / MIB:.1f} MiB in the second half of"
                f" {record.soak.seconds:.0f} s, and {allowed / MIB:.1f} MiB are allowed; seed {record.soak.seed}"
            )


def handles(record: Record) -> Iterator[str]:
    """Threads and open files neither rise nor stay."""
    for client, before in record.before.items():
        for what, allowed, count in (("threads", THREADS, _threads), ("open files", FILES, _files)):
            rise = _growth(record, client, count)
            if rise > allowed:
                yield f"{_name(client)}: {what} grew by {rise:.0f} in the second half; seed {record.soak.seed}"
        after = record.closed[client]
        if after.threads > before.threads or after.files > before.files + LEFT_FILES:
            yield (
                f"{_name(client)}: {before.threads} threads and {before.files} open files before, and"
                f" {after.threads} and {after.files} after everything was closed"
            )


def connections(record: Record) -> Iterator[str]:
    """Never more than the pools may open; none at work when nobody works; none when all is closed."""
    most = max(moment.connections for moment in record.moments)
    if most > record.soak.most_connections:
        yield f"{most} connections were open at once, and the pools may open {record.soak.most_connections}"
    if record.after_work.busy:
        yield f"{record.after_work.busy} connections were not idle after all sessions had ended"
    if record.after_close.open:
        yield f"{record.after_close.open} connections were still open after everything was closed"


def fairness(record: Record) -> Iterator[str]:
    """Every session gets its work done."""
    done = record.done()
    usual = median(done.values())
    for session, count in done.items():
        if count < max(1, FAIR_SHARE * usual):
            yield f"session {session} starved: {count} operations, where {usual:.0f} are usual; seed {record.soak.seed}"


def errors(record: Record) -> Iterator[str]:
    """Nothing but what is expected: a time-out of the pool is not."""
    for books in record.books:
        yield from books.found


def rows(record: Record) -> Iterator[str]:
    """What was acknowledged is there once, verify finds nothing, and what was dropped is gone."""
    yield from record.found


RULES: dict[str, Callable[[Record], Iterator[str]]] = {
    "memory": memory,
    "handles": handles,
    "connections": connections,
    "fairness": fairness,
    "errors": errors,
    "rows": rows,
}


def _growth(record: Record, client: int, count: Callable[[Held], float]) -> float:
    return growth([(moment.at, count(moment.held[client])) for moment in record.moments])


def _threads(held: Held) -> float:
    return held.threads


def _files(held: Held) -> float:
    return held.files


def _name(client: int) -> str:
    return "upkeep" if client == UPKEEP else f"client {client}"
