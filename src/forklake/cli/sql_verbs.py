"""Runs SQL given as text or files, and yields the rows of each statement."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter

from forklake.cli.attaching import attached_session
from forklake.cli.output import OutputRows
from forklake.cli.results import rows_of_result
from forklake.cli.running import CommonOptions
from forklake.cli.target import LakeTarget
from forklake.errors import InvalidInput, TransactionError
from forklake.sql.parsing.cursor import split_statements

_SHORT = 1000
"""Number of characters up to which SQL is taken for a few quick statements."""


def sql(
    target: LakeTarget,
    common: CommonOptions,
    *,
    texts: Sequence[str],
    files: Sequence[Path] = (),
    arguments: Sequence[str] = (),
    dialect: str,
    limit: int | None,
    shortcuts: bool,
) -> Iterator[OutputRows]:
    """Run the texts, then the files, then the arguments, in one session; stops at the first failure.

    Raises TransactionError if they leave a transaction open, which is rolled back.
    """
    # Everything is read and split before anything runs: a missing file must not leave the work half done.
    sources = [*texts, *map(read_script, files), *map(text_of_argument, arguments)]
    statements = [statement for source in sources for statement in split_statements(source, dialect)]
    # Long scripts take long, which is what the second compiler is for; a line seldom does.
    is_short = sum(map(len, sources)) <= _SHORT
    with attached_session(target, common, dialect, shortcuts=shortcuts, short=is_short) as attached:
        for statement in statements:
            began = perf_counter()
            result = attached.session.sql(statement, debug=common.debug)
            yield rows_of_result(result, limit, began, as_json=common.json)
        if attached.state.transactions.is_open:
            raise TransactionError("The statements end without COMMIT: the open transaction was rolled back.")


def text_of_argument(argument: str) -> str:
    """The contents of the file named by an argument, or the argument itself."""
    # os.path.exists accepts text of any length; the methods of Path fail for some.
    if os.path.exists(argument):
        return read_script(Path(argument))
    if _looks_like_a_path(argument):
        raise InvalidInput(f"There is no file '{argument}'. Use -c to run it as SQL.")
    return argument


def read_script(file: Path) -> str:
    """The text of a file. Raises InvalidInput if it cannot be read or is not UTF-8."""
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"'{file}' is not a text file in UTF-8, so it cannot contain SQL.") from error
    except OSError as error:
        raise InvalidInput(f"The file '{file}' cannot be read: {error.strerror}.") from error


def _looks_like_a_path(argument: str) -> bool:
    """Whether text that names no file was meant to: one word with a slash, or with the suffix of a script."""
    is_one_word = len(argument.split()) == 1
    return is_one_word and ("/" in argument or argument.lower().endswith(".sql"))
