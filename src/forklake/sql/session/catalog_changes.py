"""Fork and drop catalogs through the attachments of a session. Neither can be rolled back."""

from dataclasses import replace
from datetime import datetime

from forklake.catalog.lakes.catalogs import catalog_info, drop_catalog, find_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, is_same_catalog
from forklake.catalog.lakes.open_lake import lake_facts
from forklake.catalog.reading.view import view_at
from forklake.errors import ReadOnly, TransactionError
from forklake.sql.session.attachments import Attachment
from forklake.sql.session.state import SessionState


def refuse_in_transaction(state: SessionState, what: str) -> None:
    """Reject an operation that cannot be rolled back if a transaction is open."""
    if state.transactions.is_open:
        raise TransactionError(f"{what} cannot run inside a transaction: it cannot be rolled back.")


def catalog_to_fork(state: SessionState, name: str) -> Attachment:
    """The attachment of a name, or else the catalog of that name in the current lake.

    If that is the current catalog, it is forked as attached, possibly at a snapshot.
    """
    attached = state.attachments.find(name)
    if attached is not None:
        return attached
    found = find_catalog(state.current.lake, name)
    is_in_use = is_same_catalog(found, state.current.catalog)
    return state.current if is_in_use else replace(state.current, catalog=found)


def fork_attached(
    state: SessionState,
    attachment: Attachment,
    name: str,
    *,
    version: int | None = None,
    timestamp: datetime | None = None,
    if_not_exists: bool = False,
) -> tuple[Catalog, bool]:
    """Fork an attachment at the newest snapshot, the one that it is attached at, or an earlier one."""
    refuse_in_transaction(state, "FORK CATALOG")
    catalog = attachment.catalog
    if catalog.pinned is not None:
        is_given = version is not None or timestamp is not None
        view = view_at(catalog, version=version if is_given else catalog.pinned, timestamp=timestamp)
        version, timestamp = view.snapshot_id, None
    return fork_catalog(
        attachment.lake,
        catalog_info(catalog).name,
        name,
        version=version,
        timestamp=timestamp,
        if_not_exists=if_not_exists,
    )


def drop_and_detach(state: SessionState, attachment: Attachment, name: str) -> None:
    """Drop a catalog in the lake of an attachment, and detach it."""
    refuse_in_transaction(state, "DROP CATALOG")
    attachment.catalog.check_writable()
    dropped = find_catalog(attachment.lake, name)
    for each in state.attachments:
        if each.is_read_only and _may_be_same(each.catalog, dropped):
            raise ReadOnly(
                f"Cannot drop catalog '{name}': it is attached in read-only mode as '{each.name}'; detach that first."
            )
    attached = [each for each in state.attachments if is_same_catalog(each.catalog, dropped)]
    drop_catalog(attachment.lake, name)
    for each in attached:
        state.forget(each)


def _may_be_same(one: Catalog, other: Catalog) -> bool:
    """Whether two handles are of the same catalog, or of a copy or replica of its lake."""
    if one.catalog_id != other.catalog_id:
        return False
    return is_same_catalog(one, other) or lake_facts(one.lake).uuid == lake_facts(other.lake).uuid
