"""SQL that is written down already: statement by statement, and the rows of each."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter

from forklake.cli.attaching import attached_session
from forklake.cli.output import Rows
from forklake.cli.results import rows_of_result
from forklake.cli.running import Common
from forklake.cli.target import Target
from forklake.sql.cursor import split_statements


def sql(
    target: Target,
    common: Common,
    *,
    texts: Sequence[str],
    files: Sequence[Path],
    dialect: str,
    limit: int | None,
    shortcuts: bool,
) -> Iterator[Rows]:
    """Carry out the texts, then the files, in one session; the first failure ends it."""
    # Everything is read and split before anything runs: a file that is not there must not leave half of the work done.
    sources = [*texts, *(file.read_text(encoding="utf-8") for file in files)]
    statements = [statement for source in sources for statement in split_statements(source, dialect)]
    with attached_session(target, common, dialect, shortcuts=shortcuts) as attached:
        for statement in statements:
            began = perf_counter()
            result = attached.session.sql(statement, debug=common.debug)
            yield rows_of_result(result, limit, began, as_json=common.json)
