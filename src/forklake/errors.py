"""The exception hierarchy of Forklake.

ForklakeError
├── InvalidInput                 a value given by the caller is invalid
│   ├── InvalidName              a name that is empty, too long or has forbidden characters
│   ├── InvalidType              a column type that is unknown or cannot be stored
│   ├── InvalidOption            an option that is unknown or has an invalid value
│   ├── InvalidChange            a change the table's definition does not allow
│   ├── SyntaxProblem            a statement that cannot be parsed
│   ├── Untranslatable           SQL of one dialect without equivalent in the other
│   └── InvalidRows              rows that the table cannot accept
├── NotFound                     a named object does not exist
│   ├── NoSuchCatalog
│   ├── NoSuchSchema
│   ├── NoSuchTable
│   ├── NoSuchView
│   ├── NoSuchMacro
│   ├── NoSuchColumn
│   └── NoSuchSnapshot
├── AlreadyExists                a name is taken
│   └── ForkMismatch             the existing catalog is not the requested fork
├── TransactionError             a transaction cannot continue
│   ├── TransactionClosed        it was already committed or rolled back
│   ├── ReadOnly                 a write where only reading is allowed
│   ├── CommitConflict           another transaction committed something incompatible
│   ├── CommitMessageRequired    the catalog requires author and message
│   └── CommitFailed             the database kept failing until retries were exhausted
│       └── CommitUnknown        the connection was lost, and the outcome is unknown
├── QueryFailed                  Spark could not analyse or execute a query
├── DataError                    errors about the files of a table
│   ├── DamagedFile              a file is missing, or differs from its metadata
│   ├── UnwritableFile           a file cannot be written: storage is full or not writable
│   ├── DataPathTaken            the data path is marked as that of another lake, or unmarked
│   └── FolderNotShared          executors of Spark do not see the files of the driver, or the reverse
└── StoreError                   errors of the metadata database
    ├── StoreUnavailable         it cannot be reached, or rejects the login
    ├── StoreBusy                it remained locked, or kept failing for a transient reason
    ├── NotALake                 it contains no lake, or something else
    ├── UnsupportedFormat        the lake has a format version this release cannot read
    └── CorruptMetadata          rows contradict each other
"""


class ForklakeError(Exception):
    """Base class of all errors raised deliberately by Forklake."""


class InvalidInput(ForklakeError, ValueError):
    """A value given by the caller is invalid."""


class InvalidName(InvalidInput):
    """A name that is empty, too long, or has characters that are not allowed."""


class InvalidType(InvalidInput):
    """A column type that is unknown, or that cannot be stored."""


class InvalidOption(InvalidInput):
    """An option that is unknown, or has an invalid value."""


class InvalidChange(InvalidInput):
    """A change that the definition of the table does not allow."""


class SyntaxProblem(InvalidInput):
    """A statement that cannot be parsed; shows the line and the position."""

    def __init__(self, message: str, text: str, position: int) -> None:
        line_start = text.rfind("\n", 0, position) + 1
        line = text[line_start:].split("\n", 1)[0]
        number = text.count("\n", 0, position) + 1
        super().__init__(
            f"{message}\nLINE {number}: {line}\n{' ' * (len(f'LINE {number}: ') + position - line_start)}^"
        )
        self.position = position


class Untranslatable(InvalidInput):
    """SQL of one dialect without equivalent in the other; names the construct."""


class InvalidRows(InvalidInput):
    """Rows that the table cannot accept: mismatching columns, or a NULL or value that is not allowed."""


class NotFound(ForklakeError, LookupError):
    """A named object does not exist."""


class NoSuchCatalog(NotFound):
    """No live catalog has this name."""


class NoSuchSchema(NotFound):
    """The catalog has no schema of this name."""


class NoSuchTable(NotFound):
    """The schema has no table of this name."""


class NoSuchView(NotFound):
    """The schema has no view of this name."""


class NoSuchMacro(NotFound):
    """The schema has no macro of this name."""


class NoSuchColumn(NotFound):
    """The table has no column of this name."""


class NoSuchSnapshot(NotFound):
    """The catalog has no snapshot at this version or time."""


class AlreadyExists(ForklakeError):
    """The name is taken by a live object."""


class ForkMismatch(AlreadyExists):
    """A catalog of this name exists, but it is not the requested fork."""


class TransactionError(ForklakeError):
    """The transaction cannot continue."""


class TransactionClosed(TransactionError):
    """The transaction was already committed or rolled back."""


class ReadOnly(TransactionError):
    """A write where only reading is allowed."""


class CommitConflict(TransactionError):
    """Another transaction has committed an incompatible change."""

    def __init__(self, message: str, *, snapshot_id: int | None = None, subject: str | None = None) -> None:
        super().__init__(message)
        self.snapshot_id = snapshot_id
        self.subject = subject


class CommitMessageRequired(TransactionError):
    """The catalog requires an author and a message with every commit."""


class CommitFailed(TransactionError):
    """The metadata database kept failing until the retries were exhausted; nothing was written."""


class CommitUnknown(CommitFailed):
    """The connection was lost during COMMIT, and it is unknown whether it happened."""


class QueryFailed(ForklakeError):
    """Spark could not analyse or execute a query; contains Spark's message."""


class DataError(ForklakeError):
    """An error about the files of a table."""


class DamagedFile(DataError):
    """A file of a table is missing, or differs from its metadata."""


class UnwritableFile(DataError):
    """A file of a table cannot be written: storage is full or not writable."""


class DataPathTaken(DataError):
    """The data path is marked as that of another lake, or unmarked where a marker is required."""


class FolderNotShared(DataError):
    """Driver and executors of Spark do not see the same files in a local folder."""


class StoreError(ForklakeError):
    """An error of the metadata database."""


class StoreUnavailable(StoreError):
    """The metadata database cannot be reached, or rejects the login."""


class StoreBusy(StoreError):
    """The metadata database remained locked, or kept failing for a transient reason."""


class NotALake(StoreError):
    """The database contains no lake, or something else."""


class UnsupportedFormat(StoreError):
    """The lake has a format version that this release cannot read."""


class CorruptMetadata(StoreError):
    """Metadata rows contradict each other."""
