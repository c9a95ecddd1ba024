"""The part of the trial that puts a lake under load."""

from collections.abc import Iterator, Mapping

from tests.postgres_server import FAST, TestPostgres
from trust.load.record import Record
from trust.load.run_soak import run_soak
from trust.load.server import named_url
from trust.load.show import MIB, kind_lines, summary
from trust.load.soak import Soak
from trust.load.verdict import judge
from trust.trial import Line, Trial

SECONDS = 45
SESSIONS = 300
PROCESSES = 4
OPERATIONS = 3000
"""So many must be done in the short form, on a machine that is busy with other things as well."""
COMMITS = 1000

SETTINGS: Mapping[str, str] = {**FAST, "autovacuum": "on", "autovacuum_naptime": "2s"}
"""Rows that are gone make room for others soon enough for a run of less than a minute to see it."""


def run(trial: Trial) -> Iterator[Line]:
    """A soak of hundreds of sessions."""
    with TestPostgres(settings=SETTINGS) as server:
        soak = Soak(
            url=named_url(f"postgres:{server.create_database()}"),
            data_path=f"{trial.sub_folder('load')}/",
            seed=trial.seed,
            seconds=SECONDS * trial.times,
            sessions=SESSIONS,
            processes=PROCESSES,
        )
        record = run_soak(soak, trial.say)
    for line in kind_lines(record.total()):
        trial.say(line)
    yield from lines(record, trial.times)


def lines(record: Record, times: int) -> Iterator[Line]:
    """What was tried, and what came of it."""
    found, total = judge(record), record.total()
    refused = ", ".join(f"{count} x {what}" for what, count in sorted(total.errors.items()))
    yield Line(
        "sessions at once over one PostgreSQL",
        record.soak.sessions,
        SESSIONS,
        f"each got its work done, {min(record.done().values())} operations at the least",
        found["fairness"],
    )
    yield Line(
        "operations under load",
        total.done,
        OPERATIONS * times,
        f"{summary(total, record.soak.seconds)}; refused: {refused or 'none'}",
        found["errors"],
    )
    yield Line(
        "commits under load",
        sum(histogram.count for kind, histogram in total.times.items() if kind.startswith("commit")),
        COMMITS * times,
        f"all there, once; verify finds nothing in {record.verified} catalogs; the lake is as small as at first",
        found["rows"],
    )
    yield Line(
        "looks at open connections",
        record.looked,
        100 * times,
        f"{max(moment.connections for moment in record.moments)} at most, of {record.soak.most_connections};"
        f" {record.after_close.open} after closing",
        found["connections"],
    )
    memory = [sum(held.memory for held in moment.held.values()) / MIB for moment in record.moments]
    yield Line(
        "seconds of load with memory, threads and files watched",
        round(record.moments[-1].at),
        SECONDS * times,
        f"memory of all processes {memory[len(memory) // 2]:.0f} MiB half-way, {memory[-1]:.0f} MiB at the end",
        (*found["memory"], *found["handles"]),
    )
