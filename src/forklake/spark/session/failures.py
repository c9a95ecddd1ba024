"""Translation of errors of Spark and PyArrow into Forklake errors, where their cause is known."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote

from forklake.errors import (
    DamagedFile,
    ForklakeError,
    InvalidInput,
    InvalidRows,
    QueryFailed,
    Untranslatable,
    UnwritableFile,
)
from forklake.model.entities import Table
from forklake.spark.session.interrupts import interruptible

_RAISED = re.compile(r"\[USER_RAISED_EXCEPTION\] (.*?)(?: SQLSTATE|\n\s*at )", re.DOTALL)
_IN_WORKER = re.compile(r"forklake\.errors\.(?:InvalidInput|InvalidRows): (.*?)(?:\n|$)")
_DAMAGED_IN_WORKER = re.compile(r"forklake\.errors\.DamagedFile: (.*?)(?:\n|$)")
_UNWRITABLE_IN_WORKER = re.compile(r"forklake\.errors\.UnwritableFile: (.*?)(?:\n|$)")
_UNWRITABLE = re.compile(
    r"(No space left on device|Disk quota exceeded|Permission denied|Read-only file system)|Mkdirs failed to create"
)
_UNREADABLE = re.compile(r"FAILED_READ_FILE|FileNotFound|FILE_NOT_EXIST|not a Parquet file|ChecksumException")
_MISSING = re.compile(r"FILE_NOT_EXIST|FileNotFound|No such file")
_BAD_RECORD = re.compile(r"\[MALFORMED_RECORD_IN_PARSING[A-Z_.]*\] (.*?)(?:\.? ?Parse Mode| SQLSTATE|\n)", re.DOTALL)
_JSON_FIELD = re.compile(r"Cannot parse the field name (\S+) and the value (.+?) of the JSON token type")
_IN_FILE = re.compile(r"\(in .+\)$")
_FILE_READ = re.compile(r"while reading file (\S+?)\.?\s")
_OTHER_HEADER = re.compile(r"CSV header does not conform|Number of column in CSV header")
_BAD_VALUE = re.compile(r"\[(?:CAST_|CANNOT_PARSE_|FAILED_PARSE_|INVALID_)[A-Z_.]+\]")
_NO_ROUTINE = re.compile(r"\[UNRESOLVED_ROUTINE\] Cannot resolve routine (\S+)")
_UNTOLD = re.compile(r"An error occurred while calling \S+\.\n")
_FILE = re.compile(r"((?:[a-z0-9]+:)?/[^\s,]*?\.parquet)")


@contextmanager
def translate_write_errors(table: Table) -> Iterator[None]:
    """Raise InvalidRows for rows rejected by a check on any machine, and UnwritableFile for failed writes of files."""
    try:
        yield
    except ForklakeError:
        raise
    except Exception as error:
        found = _RAISED.search(str(error)) or _IN_WORKER.search(str(error))
        if found is not None:
            raise InvalidRows(found[1].strip()) from error
        if (found_text := _UNWRITABLE_IN_WORKER.search(str(error))) is not None:
            raise UnwritableFile(found_text[1].strip()) from error
        raise


@contextmanager
def translate_copy_errors(file: str) -> Iterator[None]:
    """Wraps reading of users' files by Spark: errors about their content include the file."""
    try:
        yield
    except InvalidRows as error:
        if _IN_FILE.search(str(error)):
            raise
        raise InvalidRows(f"{error} (in {file})") from error
    except ForklakeError:
        raise
    except Exception as error:
        text = str(error)
        if not is_from_spark(error):
            raise
        found = _FILE_READ.search(text)
        where = re.sub("^file:/+", "/", unquote(found[1])) if found else file
        if (field := _JSON_FIELD.search(text)) is not None:
            raise InvalidRows(f"The field {field[1]} cannot hold {field[2]} (in {where})") from error
        if (record := _BAD_RECORD.search(text)) is not None:
            raise InvalidRows(f"A record of {where} does not fit the table: {record[1].strip()}") from error
        if _BAD_VALUE.search(text):
            raise InvalidRows(f"{short_message(text)} (in {where})") from error
        if _UNREADABLE.search(text):
            reason = "does not exist" if _MISSING.search(text) else "cannot be read"
            raise DamagedFile(f"The file {where} {reason}.") from error
        if where in short_message(text):
            raise
        raise QueryFailed(f"{short_message(text)} (in {where})") from error


@contextmanager
def translate_storage_errors(folder: str, table: Table) -> Iterator[None]:
    """Wraps a write by Spark itself: full or inaccessible storage raises UnwritableFile."""
    try:
        yield
    except Exception as error:
        text = str(error)
        found = _UNWRITABLE.search(text)
        if found is None or (_UNREADABLE.search(text) and folder not in text):
            raise
        reason = found[1] or "the folder cannot be made"
        raise UnwritableFile(f"The files of table '{table.name}' cannot be written to {folder}: {reason}.") from error


@contextmanager
def translate_query_errors(*, debug: bool = False, translated: bool = False) -> Iterator[None]:
    """Shorten Spark's message about a query to a line or two; with `debug`, leave it as it is.

    The query may have been `translated` from another dialect.
    """
    try:
        with interruptible():
            yield
    except ForklakeError:
        raise
    except RecursionError:
        raise InvalidInput("The statement is nested too deeply.") from None
    except Exception as error:
        if debug or not is_from_spark(error):
            raise
        text = str(error)
        raised = _RAISED.search(text)
        if raised is not None:
            raise InvalidRows(raised[1].strip()) from None
        if _OTHER_HEADER.search(text):
            raise InvalidRows(f"{_file_in(text)} names other columns in its first line than the first file.") from None
        if _UNREADABLE.search(text):
            reason = "does not exist" if _MISSING.search(text) else "cannot be read"
            raise DamagedFile(f"{_file_in(text)} {reason}.") from None
        if translated and (routine := _NO_ROUTINE.search(text)) is not None:
            raise Untranslatable(
                f"The function {routine[1].strip('`')} is not supported: Spark has none of this name, and there is no"
                " translation."
            ) from None
        unwritable = _UNWRITABLE.search(text)
        reason = (
            f" {unwritable[1]}." if unwritable and unwritable[1] and unwritable[1] not in short_message(text) else ""
        )
        raise QueryFailed(short_message(text) + reason) from None


def _file_in(text: str) -> str:
    """The file that a Spark error refers to."""
    found = _FILE.search(text) or _FILE_READ.search(text)
    return f"The file {unquote(found[1])}" if found else "A file"


def is_from_spark(error: Exception) -> bool:
    """Whether an error is from Spark or the connection to it."""
    return type(error).__module__.split(".")[0] in ("pyspark", "py4j")


def short_message(text: str) -> str:
    """The message without plan, stack trace and Java class names."""
    if _UNTOLD.match(text):
        # Not one of Spark's own errors: the innermost cause is the most informative.
        causes = re.findall(r"^(?:: |Caused by: )(.+)$", text, re.MULTILINE)
        return f"Spark failed: {causes[-1]}" if causes else "Spark failed."
    message = re.split(
        r"\n\s*at |\nJVM stacktrace|;\n'|\n== (?:DataFrame|Parsed)|\n\+- |\nCaused by", text, maxsplit=1
    )[0]
    found = re.search(r"\[[A-Z_.]+\] .*", message, re.DOTALL)
    short = found[0] if found else message
    return re.sub(r" ?SQLSTATE: \w+", "", short).strip().rstrip(";")


@contextmanager
def translate_read_errors(table: Table, snapshot_id: int) -> Iterator[None]:
    """Name a file that cannot be read, with its table and the snapshot."""
    try:
        yield
    except ForklakeError:
        raise
    except Exception as error:
        # Spark raises different types of errors, which have only their texts in common.
        text = str(error)
        if (found_text := _DAMAGED_IN_WORKER.search(text)) is not None:
            raise DamagedFile(found_text[1].strip()) from error
        if not isinstance(error, OSError) and not _UNREADABLE.search(text):
            raise
        reason = "does not exist" if _MISSING.search(text) else "cannot be read"
        raise DamagedFile(f"{_file_in(text)} of table '{table.name}' at version {snapshot_id} {reason}.") from error
