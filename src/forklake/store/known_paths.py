"""Lookup of the files that any catalog refers to as data, delete or scheduled file."""

from collections.abc import Collection

from forklake.store.connection import Statement, Store


def known_paths(store: Store, paths: Collection[str], *, ignore_case: bool = False) -> set[str]:
    """Those of the paths that occur in a row of any catalog, found by index lookups.

    Databases differ in case folding: with `ignore_case`, all paths are read and compared here in casefolded form.
    """
    which = "TRUE" if ignore_case else store.dialect.any_of("path", "paths")
    answers = store.fetch_all(
        [
            Statement(f"SELECT path FROM {table} WHERE {which}", {} if ignore_case else {"paths": list(paths)})
            for table in ("lake_data_file", "lake_delete_file", "lake_scheduled_file")
        ]
    )
    named = {path for answer in answers for (path,) in answer}
    return {path.casefold() for path in named}.intersection(paths) if ignore_case else named


def newest_path(store: Store) -> str | None:
    """The path of the newest data file with a relative path."""
    found = store.fetch("SELECT path FROM lake_data_file WHERE path_is_relative ORDER BY data_file_id DESC LIMIT 1", {})
    return found[0][0] if found else None


def catalog_folders(store: Store, folders: Collection[str]) -> set[str]:
    """Those of the folders that belong to a catalog, live or dropped."""
    which = store.dialect.any_of("path", "folders")
    return {row[0] for row in store.fetch(f"SELECT path FROM lake_catalog WHERE {which}", {"folders": list(folders)})}
