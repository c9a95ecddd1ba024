"""Attachments: catalogs by their names in a session."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from forklake.catalog.lakes.catalogs import create_catalog, find_catalog
from forklake.catalog.lakes.lake import Catalog, Lake, RetrySettings
from forklake.catalog.lakes.open_lake import LakeFacts, lake_facts, open_lake
from forklake.catalog.reading.view import first_if_zero, view_at
from forklake.errors import AlreadyExists, ForklakeError, InvalidInput, NoSuchCatalog
from forklake.model.data_paths import absolute_folder
from forklake.model.names import did_you_mean, fold
from forklake.model.options import normalise_option


@dataclass(frozen=True, slots=True)
class Attachment:
    """A catalog of a lake under a name of the session."""

    name: str
    catalog: Catalog
    defaults: Mapping[str, str] = field(default_factory=dict)
    """Options for tables that have none of their own, for this attachment only."""

    metadata_catalog: str | None = None
    opened: "OpenedLake | None" = None

    @property
    def metadata_name(self) -> str:
        """The name under which the metadata itself can be queried."""
        return self.metadata_catalog or f"__ducklake_metadata_{self.name}"

    @property
    def lake(self) -> Lake:
        return self.catalog.lake

    @property
    def is_read_only(self) -> bool:
        """Whether it cannot be written: attached read-only or at a snapshot."""
        return self.catalog.is_read_only


@dataclass(frozen=True, slots=True)
class OpenedLake:
    """How a lake was opened, and which one was there."""

    address: str = field(repr=False)
    """May contain a password."""
    metadata_schema: str | None
    read_only: bool
    facts: LakeFacts


CREATE_IT = " Set CREATE_IF_NOT_EXISTS true to create it."


@dataclass(frozen=True, slots=True)
class AttachOptions:
    """Options of ATTACH."""

    catalog: str
    data_path: str | None = None
    metadata_schema: str | None = None
    metadata_catalog: str | None = None
    create_if_not_exists: bool = False
    read_only: bool = False
    snapshot_version: int | None = None
    snapshot_time: datetime | None = None
    data_inlining_row_limit: int | None = None
    override_data_path: bool = False
    migrate_if_required: bool = True


def open_attachment(
    target: str,
    name: str,
    options: AttachOptions,
    *,
    if_missing: str = CREATE_IT,
    others: Iterable[Attachment] = (),
) -> Attachment:
    """Open the lake at `target` and find the catalog; both are created if requested.

    A lake that one of the `others` has open is shared, with its connections and caches. `if_missing` is the advice if
    there is no such catalog, which depends on the caller.
    """
    url = target.removeprefix("ducklake:")
    address = _address(url)
    shared = next((each for each in others if _is_shareable(each, address, options)), None)
    # The data path is verified anew by every attachment.
    lake = shared.lake.with_unclaimed_paths() if shared is not None else _open(url, options)
    try:
        catalog = _open_catalog(lake, options, if_missing)
        opened = shared.opened if shared is not None else _opened(lake, address, options)
        return Attachment(name, catalog, _default_options(options), options.metadata_catalog, opened)
    except BaseException:
        if shared is None:
            lake.close()
        raise


def _open(url: str, options: AttachOptions) -> Lake:
    return open_lake(
        url,
        data_path=_absolute_data_path(options.data_path),
        default_data_path=_default_data_path(url) if options.create_if_not_exists else None,
        metadata_schema=options.metadata_schema,
        create=options.create_if_not_exists,
        read_only=options.read_only,
        override_data_path=options.override_data_path,
        migrate_if_required=options.migrate_if_required,
    )


def _opened(lake: Lake, address: str, options: AttachOptions) -> OpenedLake:
    return OpenedLake(address, options.metadata_schema, options.read_only, lake_facts(lake))


def _is_shareable(other: Attachment, address: str, options: AttachOptions) -> bool:
    """Whether the lake of another attachment is what would be opened, and is still there."""
    lake, opened = other.lake, other.opened
    if opened is None or opened.address != address or lake.data_path is None or options.override_data_path:
        return False
    if _absolute_data_path(options.data_path) not in (None, lake.data_path) or opened.facts.data_path != lake.data_path:
        return False
    try:
        # Another lake may have been created in its place, where cached ids are those of others.
        return opened == _opened(lake, address, options)
    except (ForklakeError, KeyError):
        return False


def _address(url: str) -> str:
    """What a URL means now: a relative path depends on the working directory, and a server on libpq's variables."""
    if not _is_server(url):
        return os.path.abspath(url.removeprefix("sqlite:"))
    variables = sorted((name, value) for name, value in os.environ.items() if name.startswith("PG"))
    return f"{url} {variables}"


def _is_server(url: str) -> bool:
    return "://" in url or url.split(":")[0] in ("postgres", "postgresql")


class Attachments:
    """The attached catalogs of a session, by case-insensitive name."""

    def __init__(self) -> None:
        self._by_name: dict[str, Attachment] = {}
        self._unnamed: list[Attachment] = []
        """One per database used by handles of forks, which have no name here."""

    def __iter__(self) -> Iterator[Attachment]:
        return iter(self._by_name.values())

    def add(self, attachment: Attachment) -> None:
        if fold(attachment.name) in self._by_name:
            raise AlreadyExists(f'A catalog is already attached under the name "{attachment.name}".')
        self._by_name[fold(attachment.name)] = attachment

    def find(self, name: str) -> Attachment | None:
        return self._by_name.get(fold(name))

    def get(self, name: str) -> Attachment:
        found = self.find(name)
        if found is None:
            hint = did_you_mean(name, [attachment.name for attachment in self], " Attach it first.")
            raise NoSuchCatalog(f"No catalog is attached as '{name}'.{hint}")
        return found

    def keep_open(self, attachment: Attachment) -> None:
        """Keep the database of an unnamed attachment open until the session is closed."""
        if all(kept.lake.store is not attachment.lake.store for kept in self._unnamed):
            self._unnamed.append(attachment)

    def with_retry(self, retry: RetrySettings) -> None:
        """Change the retry settings of commits."""
        for key, attachment in self._by_name.items():
            lake = attachment.lake.with_retry(retry)
            self._by_name[key] = replace(attachment, catalog=replace(attachment.catalog, lake=lake))

    def remove(self, name: str) -> None:
        """Remove an attachment; its database is closed with the last attachment that uses it."""
        removed = self._by_name.pop(fold(self.get(name).name))
        self._close_unused(removed)

    def close(self) -> None:
        for name in [attachment.name for attachment in self._by_name.values()]:
            self.remove(name)
        while self._unnamed:
            self._close_unused(self._unnamed.pop())

    def _close_unused(self, removed: Attachment) -> None:
        if all(kept.lake.store is not removed.lake.store for kept in (*self._by_name.values(), *self._unnamed)):
            removed.lake.close()


def _open_catalog(lake: Lake, options: AttachOptions, if_missing: str) -> Catalog:
    if options.create_if_not_exists and not options.read_only:
        create_catalog(lake, options.catalog, if_not_exists=True)
    catalog = find_catalog(lake, options.catalog, read_only=options.read_only, otherwise=if_missing)
    if options.snapshot_version is None and options.snapshot_time is None:
        return catalog
    version = None if options.snapshot_version is None else first_if_zero(catalog, options.snapshot_version)
    view = view_at(catalog, version=version, timestamp=options.snapshot_time)
    return catalog.at(view.snapshot_id)


def _default_options(options: AttachOptions) -> dict[str, str]:
    name, limit = "data_inlining_row_limit", options.data_inlining_row_limit
    return {} if limit is None else {name: normalise_option(name, limit)}


def _absolute_data_path(path: str | None) -> str | None:
    """Local data paths are stored as absolute paths: they must be independent of the working directory."""
    if path is None:
        return None
    if not path:
        raise InvalidInput("DATA_PATH must be a folder or a URL, and not empty.")
    return absolute_folder(path)


def _default_data_path(url: str) -> str | None:
    """Next to the metadata, if that is a file."""
    if _is_server(url):
        return None
    return os.path.abspath(url.removeprefix("sqlite:")) + ".files/"
