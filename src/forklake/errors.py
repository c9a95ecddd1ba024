"""Every error Forklake raises, as one tree.

ForklakeError
├── InvalidInput                 a value the caller gave cannot be used
│   ├── InvalidName              a name that is empty, too long or has forbidden characters
│   ├── InvalidType              a column type that is unknown or cannot be stored
│   ├── InvalidOption            an option that is unknown or has a bad value
│   ├── InvalidChange            a change the table's definition does not allow
│   ├── SyntaxProblem            a statement that cannot be read
│   ├── Untranslatable           SQL of one dialect that the other has nothing for
│   └── InvalidRows              rows that the table cannot take
├── NotFound                     something named does not exist
│   ├── NoSuchCatalog
│   ├── NoSuchSchema
│   ├── NoSuchTable
│   ├── NoSuchView
│   ├── NoSuchMacro
│   ├── NoSuchColumn
│   └── NoSuchSnapshot
├── AlreadyExists                a name is taken
│   └── ForkMismatch             the existing catalog is not the fork that was asked for
├── TransactionError             a transaction cannot go on
│   ├── TransactionClosed        it was already committed or rolled back
│   ├── ReadOnly                 writing where only reading is allowed
│   ├── CommitConflict           another transaction committed something incompatible
│   ├── CommitMessageRequired    the catalog asks for author and message
│   └── CommitFailed             the database kept failing until the retries were used up
│       └── CommitUnknown        the database went away and could not be asked about the outcome
├── QueryFailed                  Spark could not understand or run a query
├── DataError                    the files of a table
│   ├── DamagedFile              a file is missing, or is not what the metadata says
│   ├── UnwritableFile           a file cannot be written: storage is full, or does not let us
│   └── DataPathTaken            the data path is marked as that of another lake, or not at all
└── StoreError                   the metadata database
    ├── StoreUnavailable         it cannot be reached, or refuses the login
    ├── StoreBusy                it stayed locked, or kept failing for a passing reason
    ├── NotALake                 it holds no lake, or something that is not one
    ├── UnsupportedFormat        the lake has a format version this release cannot read
    └── CorruptMetadata          rows contradict each other
"""


class ForklakeError(Exception):
    """The root of every error that Forklake raises on purpose."""


class InvalidInput(ForklakeError, ValueError):
    """A value the caller gave cannot be used."""


class InvalidName(InvalidInput):
    """A name that is empty, too long, or has characters that are not allowed."""


class InvalidType(InvalidInput):
    """A column type that is unknown, or that cannot be stored."""


class InvalidOption(InvalidInput):
    """An option that is unknown, or a value it does not take."""


class InvalidChange(InvalidInput):
    """A change that the definition of the table does not allow."""


class SyntaxProblem(InvalidInput):
    """A statement that cannot be read; shows the line and points at the place."""

    def __init__(self, message: str, text: str, position: int) -> None:
        line_start = text.rfind("\n", 0, position) + 1
        line = text[line_start:].split("\n", 1)[0]
        number = text.count("\n", 0, position) + 1
        super().__init__(
            f"{message}\nLINE {number}: {line}\n{' ' * (len(f'LINE {number}: ') + position - line_start)}^"
        )
        self.position = position


class Untranslatable(InvalidInput):
    """SQL of one dialect for which the other has nothing; names the construct."""


class InvalidRows(InvalidInput):
    """Rows that the table cannot take: columns that do not fit, a NULL or a value it does not allow."""


class NotFound(ForklakeError, LookupError):
    """Something that was named does not exist."""


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
    """A catalog of this name exists, but it is not the fork that was asked for."""


class TransactionError(ForklakeError):
    """The transaction cannot go on."""


class TransactionClosed(TransactionError):
    """The transaction was already committed or rolled back."""


class ReadOnly(TransactionError):
    """A write where only reading is allowed."""


class CommitConflict(TransactionError):
    """Another transaction has committed something this one cannot be put on top of."""

    def __init__(self, message: str, *, snapshot_id: int | None = None, subject: str | None = None) -> None:
        super().__init__(message)
        self.snapshot_id = snapshot_id
        self.subject = subject


class CommitMessageRequired(TransactionError):
    """The catalog requires an author and a message with every commit."""


class CommitFailed(TransactionError):
    """The metadata database kept failing until the retries were used up; nothing was written."""


class CommitUnknown(CommitFailed):
    """The database went away during COMMIT and could not be asked whether it happened."""


class QueryFailed(ForklakeError):
    """Spark could not understand a query, or failed to run it; says why in Spark's words."""


class DataError(ForklakeError):
    """Something about the files of a table."""


class DamagedFile(DataError):
    """A file of a table is missing, or is not what the metadata says it is."""


class UnwritableFile(DataError):
    """A file of a table cannot be written: storage is full, or does not let us."""


class DataPathTaken(DataError):
    """The data path is marked as that of another lake, or is not marked where that is needed."""


class StoreError(ForklakeError):
    """Something about the metadata database."""


class StoreUnavailable(StoreError):
    """The metadata database cannot be reached, or refuses the login."""


class StoreBusy(StoreError):
    """The metadata database stayed locked, or kept failing for a reason that passes."""


class NotALake(StoreError):
    """The database holds no lake, or something that is not one."""


class UnsupportedFormat(StoreError):
    """The lake has a format version that this release cannot read."""


class CorruptMetadata(StoreError):
    """Metadata rows contradict each other."""
