"""Lakes without Spark, and what their metadata say about files that were added."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import forklake
from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from forklake.api.table import TableHandle
from forklake.catalog.transaction.transaction import begin
from forklake.errors import InvalidInput
from forklake.model.files import ScanFile
from tests.attached import attach_main, read_table
from tests.conftest import Place


@dataclass(frozen=True, slots=True)
class Adding:
    """A session with one catalog attached, where its files go, and a folder for files of others."""

    session: Session
    lake: CatalogHandle
    data: Path
    given: Path


@contextmanager
def adding_to(place: Place, folder: Path) -> Iterator[Adding]:
    """A new lake; at the end, no Spark must have been started."""
    with forklake.connect() as session:
        lake = attach_main(session, place, folder)
        yield Adding(session, lake, folder / "data", folder / "given")
        assert not session._state.provider.is_running


def files_of(table: TableHandle) -> list[ScanFile]:
    """The files of a table, in the order of their rows."""
    tx, table_id = read_table(table)
    return sorted(tx.files(table_id), key=lambda file: file.data.row_id_start or 0)


def paths_of(table: TableHandle) -> list[tuple[str, bool]]:
    return [(file.data.path, file.data.path_is_relative) for file in files_of(table)]


def partitions_of(table: TableHandle) -> list[tuple[str | None, ...]]:
    tx, table_id = read_table(table)
    known = tx.view.partition_values(table_id, [file.data for file in files_of(table)])
    return [known[file.data.data_file_id] for file in files_of(table)]


def refused(table: TableHandle, paths: Path | str | Sequence[str], message: str, **options: Any) -> None:
    """The files are not taken, for this reason, and nothing has changed."""
    before = (begin(table._attachment.catalog).base, table.count(), paths_of(table))
    with pytest.raises(InvalidInput) as raised:
        table.add_files(str(paths) if isinstance(paths, Path) else paths, **options)
    assert message in str(raised.value)
    assert (begin(table._attachment.catalog).base, table.count(), paths_of(table)) == before
