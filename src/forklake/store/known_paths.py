"""Which files any catalog names, as data, as deletes or as waiting for their deletion."""

from collections.abc import Collection

from forklake.store.connection import Statement, Store


def known_paths(store: Store, paths: Collection[str]) -> set[str]:
    """Those of the paths that a row of any catalog has. Looked up one by one in an index."""
    which = store.dialect.any_of("path", "paths")
    answers = store.fetch_all(
        [
            Statement(f"SELECT path FROM {table} WHERE {which}", {"paths": list(paths)})
            for table in ("lake_data_file", "lake_delete_file", "lake_scheduled_file")
        ]
    )
    return {path for answer in answers for (path,) in answer}


def catalog_folders(store: Store, folders: Collection[str]) -> set[str]:
    """Those of the folders that a catalog has, live or dropped."""
    which = store.dialect.any_of("path", "folders")
    return {row[0] for row in store.fetch(f"SELECT path FROM lake_catalog WHERE {which}", {"folders": list(folders)})}
