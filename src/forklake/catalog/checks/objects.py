"""Checks of objects and options: one version at a time, and one object per name."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from typing import get_args

from forklake.catalog.checks.checked_catalog import CheckContext
from forklake.errors import ForklakeError
from forklake.model.documents import read_definition, read_json
from forklake.model.entities import ObjectKind
from forklake.model.findings import Finding, Problem
from forklake.model.names import fold
from forklake.model.periods import KeptSnapshots, Period, overlapping_rows, uncovered_periods, visible_period
from forklake.store.catalog_checks import (
    EndMarker,
    ObjectRow,
    OptionVersionRow,
    object_markers,
    object_rows,
    option_rows,
)
from forklake.store.row_kinds import RowKind

UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, ForklakeError)
"""Exceptions that reading a document may raise."""


@dataclass(frozen=True, slots=True)
class CheckedObjects:
    """All versions of all objects and options, with the periods in which they are visible."""

    objects: list[tuple[Period, ObjectRow]]
    options: list[tuple[Period, OptionVersionRow]]
    markers: list[EndMarker]

    def tables(self) -> dict[int, list[Period]]:
        """The periods in which versions of each table exist."""
        return self.periods("table")

    def periods(self, kind: str) -> dict[int, list[Period]]:
        found: dict[int, list[Period]] = defaultdict(list)
        for period, row in self.objects:
            if row.kind == kind:
                found[row.object_id].append(period)
        return dict(found)

    def names(self) -> dict[int, str]:
        """The latest schema and name of each table."""
        last = {row.object_id: row for _, row in sorted(self.objects, key=lambda entry: entry[1].begin)}
        schemas = {object_id: row.name for object_id, row in last.items()}
        return {
            object_id: f"{schemas.get(row.schema_id, row.schema_id)}.{row.name}"
            for object_id, row in last.items()
            if row.kind == "table"
        }


def read_checked_objects(look: CheckContext) -> CheckedObjects:
    objects, options = object_rows(look.store, look.scope), option_rows(look.store, look.scope)
    markers = object_markers(look.store, look.scope)
    ended = marked_ends(markers)
    return CheckedObjects(
        [(_row_period(row, ended.get((RowKind.OBJECT, row.object_id, row.begin))), row) for row in objects],
        [(_row_period(row, ended.get((RowKind.OPTION, row.option_id, row.begin))), row) for row in options],
        markers,
    )


def marked_ends(markers: Iterable[EndMarker]) -> dict[tuple[int, int, int], int]:
    """The end set by the earliest marker, by kind, id and begin of a row."""
    ends: dict[tuple[int, int, int], int] = {}
    for marker in markers:
        key = (marker.kind, marker.object_id, marker.begin)
        ends[key] = min(marker.end, ends.get(key, marker.end))
    return ends


def check_objects(seen: CheckedObjects, kept: KeptSnapshots) -> Iterator[Finding]:
    schemas = seen.periods("schema")
    named: dict[tuple[int, str, str], list[tuple[Period, ObjectRow]]] = defaultdict(list)
    versions: dict[int, list[tuple[Period, ObjectRow]]] = defaultdict(list)
    for period, row in seen.objects:
        yield from _check_object(period, row, schemas, kept)
        versions[row.object_id].append((period, row))
        # Tables and views share a namespace.
        named[row.schema_id, row.name_key, "table" if row.kind == "view" else row.kind].append((period, row))
    for of_one in versions.values():
        yield from _check_no_overlap("two_versions", of_one, kept)
    for of_name in named.values():
        yield from _check_no_overlap("same_name", of_name, kept)
    yield from _check_options(seen.options)
    known = {(int(RowKind.OBJECT), row.object_id, row.begin) for _, row in seen.objects}
    known |= {(int(RowKind.OPTION), row.option_id, row.begin) for _, row in seen.options}
    yield from check_markers(seen.markers, known)


def check_markers(
    markers: Iterable[EndMarker], known: Set[tuple[int, int, int]], table: str | None = None
) -> Iterator[Finding]:
    """Every marker must refer to a known row, by kind, id and begin, and end it after its begin."""
    for marker in markers:
        what = f"The end marker of {RowKind(marker.kind).name.lower().replace('_', ' ')} {marker.object_id}"
        if (marker.kind, marker.object_id, marker.begin) not in known:
            detail = f"{what}, begun with snapshot {marker.begin}, ends nothing."
            yield Finding("marker_of_nothing", table, snapshot_id=marker.end, detail=detail)
        if marker.end <= marker.begin:
            detail = f"{what} ends it with snapshot {marker.end}, and it begins with {marker.begin}."
            yield Finding("bad_period", table, snapshot_id=marker.end, detail=detail)


def _row_period(row: ObjectRow | OptionVersionRow, marked: int | None) -> Period:
    return visible_period(row.begin, row.end, row.top, marked)


def _check_object(
    period: Period, row: ObjectRow, schemas: dict[int, list[Period]], kept: KeptSnapshots
) -> Iterator[Finding]:
    what = f"{row.kind.replace('_', ' ').capitalize()} {row.object_id}, '{row.name}'"
    if row.end is not None and row.end <= row.begin:
        detail = f"{what}, begins with snapshot {row.begin} and ends with {row.end}."
        yield Finding("bad_period", snapshot_id=row.begin, detail=detail)
    if row.kind not in get_args(ObjectKind) or row.name_key != fold(row.name):
        yield Finding("unreadable", snapshot_id=row.begin, detail=f"{what}, cannot be found by its kind and name.")
    if row.definition is not None:
        try:
            read_definition(row.kind, read_json(row.definition))
        except UNREADABLE as error:
            yield Finding("unreadable", snapshot_id=row.begin, detail=f"{what}, has a bad definition: {error!r}")
    if row.kind == "schema":
        return
    for gap in uncovered_periods(period, schemas.get(row.schema_id, ())):
        if (shown := kept.newest_in(gap)) is not None:
            yield Finding("no_schema", snapshot_id=shown, detail=f"{what}, is in schema {row.schema_id}, which is not.")
            return


def _check_no_overlap(problem: Problem, rows: list[tuple[Period, ObjectRow]], kept: KeptSnapshots) -> Iterator[Finding]:
    for first, second, both in overlapping_rows(rows):
        # Versions of the same object are checked by object.
        if problem == "same_name" and first.object_id == second.object_id:
            continue
        detail = (
            f"{first.kind.capitalize()} {first.object_id}, '{first.name}', from snapshot {first.begin} on,"
            f" and {second.kind} {second.object_id}, '{second.name}', from {second.begin} on, are there at once."
        )
        yield Finding(problem, snapshot_id=kept.newest_in(both), detail=detail)


def _check_options(options: list[tuple[Period, OptionVersionRow]]) -> Iterator[Finding]:
    places: dict[tuple[str, int, str], list[tuple[Period, OptionVersionRow]]] = defaultdict(list)
    for period, row in options:
        places[row.scope, row.scope_id, row.key].append((period, row))
        if row.end is not None and row.end <= row.begin:
            detail = f"Option {row.option_id}, '{row.key}', begins with snapshot {row.begin} and ends with {row.end}."
            yield Finding("bad_period", snapshot_id=row.begin, detail=detail)
    for of_place in places.values():
        for first, second, _ in overlapping_rows(of_place):
            detail = f"Option '{first.key}' of {first.scope} {first.scope_id} is set twice at once."
            yield Finding("two_versions", snapshot_id=second.begin, detail=detail)
