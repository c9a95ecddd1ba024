"""Locations of files to be added, and their paths in the metadata."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from forklake.catalog.retention.file_holders import catalog_folders, known_paths
from forklake.catalog.transaction.transaction import Transaction
from forklake.errors import InvalidInput
from forklake.maintenance.adding.find_files import FoundFile
from forklake.model.entities import Table
from forklake.model.ids import TableId
from forklake.spark.storage.storage import Storage
from forklake.spark.work import Work


@dataclass(frozen=True, slots=True)
class PlacedFile:
    """A file with its path in the metadata. Only files in the catalog's own folder may be deleted by the catalog."""

    file: FoundFile
    path: str
    is_relative: bool


def place_files(work: Work, files: Sequence[FoundFile]) -> list[PlacedFile]:
    """The path of each file; raises InvalidInput for files of other catalogs, and for known files."""
    below = {file.real_path: _below_root(work.storage, file) for file in files}
    folders = catalog_folders(
        work.tx.catalog.lake, {p for path in below.values() if path for p in _parent_folders(path)}
    )
    own = work.tx.catalog.path
    placed = []
    for file in files:
        path = below[file.real_path]
        owner = next((parent for parent in _parent_folders(path) if parent in folders), None) if path else None
        if path is None or owner is None:
            placed.append(PlacedFile(file, _outside_path(work.storage, file, path), is_relative=False))
        elif owner == own:
            placed.append(PlacedFile(file, path, is_relative=True))
        else:
            raise InvalidInput(
                f'File "{file.name}" is in the folder of another catalog, to which it belongs.\n* Fork that catalog'
                " to use its rows, or copy the file"
            )
    _check_not_known(work, [each for each in placed if each.is_relative])
    return placed


def check_not_in_table(work: Work, table: Table, placed: Sequence[PlacedFile]) -> None:
    """Raise InvalidInput for a file whose rows are already in the table, under any of its names."""
    names = {name: each for each in placed for name in (each.path, each.file.name, each.file.real_path)}
    known = known_paths(work.tx.catalog.lake, list(names)) | _staged_paths(work.tx).intersection(names)
    if known:
        for scanned in work.tx.files(TableId(table.object_id)):
            if scanned.data.path in known:
                raise InvalidInput(
                    f'File "{names[scanned.data.path].file.name}" is in the table already: its rows would be'
                    " duplicated. Set allow_duplicates to allow this."
                )


def _below_root(storage: Storage, file: FoundFile) -> str | None:
    """The path relative to the lake's data path; None for files elsewhere."""
    root = os.path.join(os.path.realpath(storage.prefix), "") if storage.is_local else storage.root
    return file.real_path.removeprefix(root) if file.real_path.startswith(root) else None


def _parent_folders(path: str) -> list[str]:
    """All parent folders of a file, from the top."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: at + 1]) for at in range(len(parts))]


def _outside_path(storage: Storage, file: FoundFile, below: str | None) -> str:
    """The name given by the user; but no links in the lake's own folders, which may disappear."""
    return file.name if below is None and not file.name.startswith(storage.prefix) else file.real_path


def _check_not_known(work: Work, placed: Sequence[PlacedFile]) -> None:
    """A file belongs to a single table, and is deleted with its rows: nothing else may depend on it."""
    spelled = [work.storage.spellings(each.path) for each in placed]
    known = known_paths(work.tx.catalog.lake, [name for names in spelled for name in names]) | _staged_paths(work.tx)
    for each, names in zip(placed, spelled, strict=True):
        if not known.isdisjoint(names):
            raise InvalidInput(f'File "{each.file.name}" already belongs to this lake.')


def _staged_paths(tx: Transaction) -> set[str]:
    staged = tx.tables.values()
    data = {new.file.path for changes in staged for new in changes.new_files.values()}
    return data | {delete.path for changes in staged for delete in changes.new_deletes.values()}
