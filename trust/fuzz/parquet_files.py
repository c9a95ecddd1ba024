"""Files to be registered that are not what they say."""

import random
from dataclasses import dataclass, field
from pathlib import Path

from forklake.api.session import Session
from forklake.errors import ForklakeError
from trust.fuzz.damaged_lake import World, session_on
from trust.fuzz.guard import Escaped
from trust.fuzz.judging import Hung, SparkNeeded, place_of, time_limit
from trust.fuzz.parquet_bytes import any_file
from trust.fuzz.statement_run import resident_bytes

SECONDS = 10.0
GROWTH_BYTES = 500 * 2**20


@dataclass(slots=True)
class FilesTally:
    """What came of them."""

    tried: int = 0
    added: int = 0
    found: list[str] = field(default_factory=list)


def fuzz_files(folder: Path, seed: str, count: int) -> FilesTally:
    """Register so many files, each in a table of its own; those that break something stay in the folder."""
    tally = FilesTally()
    with session_on(World(folder, "")) as session:
        session.attach(str(folder / "lake.db"), "lake", catalog="main", create_if_not_exists=True)
        session.sql("CREATE TABLE t (id INTEGER, v VARCHAR)")
        for number in range(count):
            (folder / "progress").write_text(str(number))
            kind, content = any_file(random.Random(f"{seed}/parquet/{number}"), number)
            path = folder / f"{number}.parquet"
            path.write_bytes(content)
            tally.tried += 1
            problem = try_file(session, path, ignore_extra=number % 2 == 0, tally=tally)
            if problem:
                tally.found.append(f"seed {seed}, file {number} ({kind}, {path}): {problem}")
            else:
                path.unlink()
    return tally


def try_file(session: Session, path: Path, *, ignore_extra: bool, tally: FilesTally) -> str:
    """What is wrong with how a file was taken; nothing if it was refused, or is in the table and can be planned for."""
    before, memory = _versions(session), resident_bytes()
    is_added = False
    try:
        with time_limit(SECONDS):
            session.sql(f"CALL lake.add_data_files('t', '{path}', ignore_extra_columns => {ignore_extra})")
            is_added = True
            _look_at_table(session)
    except ForklakeError as error:
        if is_added:
            return f"it was added, and then nothing can be done with the table: {error}"
    except Hung:
        return f"it takes more than {SECONDS} s"
    except (Exception, Escaped) as error:
        return f"{type(error).__name__}: {str(error)[:200]} ({place_of(error)})"
    if is_added:
        tally.added += 1
        session.sql("DROP TABLE t; CREATE TABLE t (id INTEGER, v VARCHAR)")
    elif _versions(session) != before:
        return "it was refused, and yet something was committed"
    grown = resident_bytes() - memory
    return f"it took {grown} bytes of memory" if grown > GROWTH_BYTES else ""


def _versions(session: Session) -> int:
    return len(session.sql("SELECT snapshot_id FROM lake.snapshots()").fetchall())


def _look_at_table(session: Session) -> None:
    session.sql("SELECT * FROM lake.list_files('t')").fetchall()
    session.sql("SELECT * FROM lake.table_info()").fetchall()
    try:
        session.sql("SELECT count(*), min(id), max(id), min(v), max(v) FROM t").fetchall()
        session.sql("SELECT * FROM t WHERE id = 5 AND v > 'a'").fetchall()
    except SparkNeeded:
        return
