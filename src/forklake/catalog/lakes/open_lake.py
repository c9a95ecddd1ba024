"""Open a lake, or create one."""

from dataclasses import dataclass

from forklake.catalog.lakes.lake import Lake, RetrySettings, new_handle
from forklake.errors import InvalidInput
from forklake.model.data_paths import usual_scheme
from forklake.model.names import is_storable
from forklake.store.connection import Store
from forklake.store.open import FORMAT_KEY, open_store
from forklake.store.options import add_lake_info, lake_info

_DATA_PATH = "data_path"


def open_lake(
    url: str,
    *,
    data_path: str | None = None,
    default_data_path: str | None = None,
    metadata_schema: str | None = None,
    create: bool = False,
    read_only: bool = False,
    override_data_path: bool = False,
    migrate_if_required: bool = True,
    retry: RetrySettings | None = None,
) -> Lake:
    """Open the lake at `url`, creating it if requested.

    The data path is the location for the files of all catalogs, each in its own folder. It is stored in the lake: if
    given again, it must be the same. The default applies to a lake without data path.
    """
    store = open_store(
        url,
        metadata_schema=metadata_schema,
        create=create,
        read_only=read_only,
        migrate_if_required=migrate_if_required,
    )
    try:
        given = data_path if data_path is not None or lake_info(store).get(_DATA_PATH) else default_data_path
        kept = _settle_data_path(store, _as_folder(given), override=override_data_path)
    except BaseException:
        store.close()
        raise
    return new_handle(store, kept, retry)


@dataclass(frozen=True, slots=True)
class LakeFacts:
    """Identity, backend, format and creator of a lake."""

    uuid: str
    backend: str
    format_version: str
    created_by: str
    data_path: str | None
    """As stored in the lake, regardless of the attachment."""


def lake_facts(lake: Lake) -> LakeFacts:
    known = lake_info(lake.store)
    backend = "postgres" if lake.store.dialect.is_postgres else "sqlite"
    return LakeFacts(known["lake_uuid"], backend, known[FORMAT_KEY], known.get("created_by", ""), known.get(_DATA_PATH))


def _settle_data_path(store: Store, given: str | None, *, override: bool) -> str | None:
    kept = lake_info(store).get(_DATA_PATH)
    if given is None or (kept is not None and usual_scheme(given) == usual_scheme(kept)):
        return kept
    if kept is None:
        if store.read_only:
            return given
        with store.writing([]) as (transaction, _):
            transaction.commit([add_lake_info(_DATA_PATH, given)])
        kept = lake_info(store)[_DATA_PATH]
    if given != kept and not override:
        raise InvalidInput(
            f"DATA_PATH '{given}' does not match existing data path in the catalog, '{kept}'."
            " Leave it out, or set OVERRIDE_DATA_PATH true to read files from another place."
        )
    return given


def _as_folder(path: str | None) -> str | None:
    if path is None:
        return None
    if not path or not is_storable(path):
        raise InvalidInput("DATA_PATH must be a folder or a URL, in characters that can be stored, and not empty.")
    return path if path.endswith("/") else f"{path}/"
