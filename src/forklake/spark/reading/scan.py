"""Scan plans to DataFrames: file groups, deleted rows, inlined rows."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as st

from forklake.catalog.planning.scan_planning import ScanPlan
from forklake.errors import InvalidName
from forklake.model.entities import UNCOMMITTED, Column
from forklake.model.files import DataFile, ScanFile
from forklake.model.names import ROW_INDEX, fold
from forklake.spark.reading.deleted_rows import build_bitmaps, deleted_positions
from forklake.spark.reading.file_groups import (
    FileGroup,
    Naming,
    PathColumn,
    group_by_naming,
    numbered_files,
    row_id_source,
)
from forklake.spark.reading.inlined import inlined_frame
from forklake.spark.reading.manifest import cached_relation, file_relation
from forklake.spark.reading.path_values import number_per_file, path_values
from forklake.spark.reading.virtual_columns import ADDRESS, POSITION_BITS, ROW_IDS, SNAPSHOT_IDS, VIRTUAL
from forklake.spark.session.provider import is_remote
from forklake.spark.tasks.types.reserved_columns import ROW_ID, SNAPSHOT_ID
from forklake.spark.values.conversions import convert_from_file, initial_default_value, read_type
from forklake.spark.values.quoting import column_named, quoted_name, select_columns
from forklake.spark.values.type_mapping import shown_schema, shown_type
from forklake.spark.work import Work


def scan(work: Work, plan: ScanPlan, virtual: Sequence[str] = (), for_view: bool = False) -> DataFrame:
    """The live rows of a plan with the columns of its table, followed by the requested virtual columns.

    Its columns are new, so that two scans of a table can be joined. For a view, which is only used by name, they may be
    those of another scan, so that Spark plans a query as over plain files. Never a bare file relation: a write to a
    view over one would write into our folders.
    """
    files = numbered_files(plan)
    parts = [
        _file_rows(work, plan, part, virtual, for_view)
        for group in group_by_naming(work.tx, plan.table, files)
        for part in _scan_parts(work, plan, group, virtual)
    ]
    if plan.batches:
        parts.append(inlined_frame(work, plan, virtual, first_number=len(files)))
    if not parts:
        return work.spark.createDataFrame([], scan_schema(plan, virtual))
    return reduce(DataFrame.unionAll, parts)


def scan_schema(plan: ScanPlan, virtual: Sequence[str] = ()) -> st.StructType:
    schema = shown_schema(plan.table.definition.columns)
    for name in virtual:
        schema = schema.add(name, VIRTUAL[name])
    return schema


_SPARKS, _ORIGIN = "_metadata", "__forklake_origin"
_READ_TOGETHER = 0.25
"""From this share of rows in files with deletes, a group is read as one.

Looking up rows in files without deletes has a cost, but unless Spark generates code across unions, each row of both
sides would be copied.
"""
_READ_APART = 1_000_000
"""With code across unions, so many rows without deletes cost more to look up than a second scan costs to plan."""


@dataclass(frozen=True, slots=True)
class _ScanPart:
    """Files of a group that are read in the same way."""

    naming: Naming
    files: list[tuple[int, ScanFile]]
    with_deletes: bool
    """Some of the files have deleted rows to exclude."""
    row_ids: str
    """Source of row ids: embedded in the `file`, `counted`, or `none` assigned yet."""
    embeds_snapshots: bool
    reads_row_index: bool
    """The position is read as a separate column, which avoids wrapping it in a struct for every row."""
    is_numbered: bool
    """Rows have the number of their file. If that is not needed, they have the start of its bitmap instead."""


def _scan_parts(work: Work, plan: ScanPlan, group: FileGroup, virtual: Sequence[str]) -> Iterator[_ScanPart]:
    # There may be fifty thousand files: each statement in the loop costs a few milliseconds.
    split: dict[tuple[str, bool, int], list[tuple[int, ScanFile]]] = defaultdict(list)
    times = _path_repetitions(group)
    row_ids = row_id_source(work.tx, plan) if not ROW_IDS.isdisjoint(virtual) else lambda _: "none"
    has_deletes = any(file.delete is not None for _, file in group.files)
    if virtual or has_deletes:
        _check_names(plan, group)
    only_rows = not virtual and has_deletes and prunes_structs(work) and not _has_column(group.naming, _SPARKS)
    is_numbered = bool(virtual) or any(isinstance(then, PathColumn) for then in group.naming)
    wants_snapshots = not SNAPSHOT_IDS.isdisjoint(virtual)
    for numbered in group.files:
        number, file = numbered
        last = file.data.partial_max
        by_snapshot = last is not None and (wants_snapshots or last > plan.snapshot_id)
        time = times[number] if times else 0
        split[row_ids(file), by_snapshot, time].append(numbered)
    for (ids, snapshots, _), files in split.items():
        for with_deletes, some in _split_by_deletes(files, compiles_unions(work)):
            yield _ScanPart(group.naming, some, with_deletes, ids, snapshots, with_deletes and only_rows, is_numbered)


def _check_names(plan: ScanPlan, group: FileGroup) -> None:
    """Reject files with a column that Spark would mistake for the positions of rows."""
    if _has_column(group.naming, ROW_INDEX):
        raise InvalidName(
            f"Rows of table '{plan.table.name}' have no positions, because files have a column '{ROW_INDEX}', which is "
            "Spark's own name for them. Copy the rows to a new table under other names."
        )


def _has_column(naming: Naming, name: str) -> bool:
    return any(isinstance(then, Column) and fold(then.name) == name for then in naming)


def _split_by_deletes(
    files: list[tuple[int, ScanFile]], unions_are_cheap: bool
) -> Iterator[tuple[bool, list[tuple[int, ScanFile]]]]:
    """The files whose rows are looked up in the bitmaps, and those that are read without."""
    changed = [numbered for numbered in files if numbered[1].delete is not None]
    changed_rows, rows = _count_rows(changed), _count_rows(files)
    reads_apart = unions_are_cheap and rows - changed_rows >= _READ_APART
    if not reads_apart and changed_rows >= _READ_TOGETHER * rows > 0:
        yield True, files
        return
    if changed:
        yield True, changed
    if len(changed) < len(files):
        yield False, [numbered for numbered in files if numbered[1].delete is None]


def _count_rows(files: Iterable[tuple[int, ScanFile]]) -> int:
    return sum(file.data.record_count for _, file in files)


def _path_repetitions(group: FileGroup) -> dict[int, int]:
    """The number of earlier occurrences of each file's path, by file number; empty if there are no duplicates.

    Foreign files may have been added twice, but a relation reads a path only once.
    """
    if len({file.data.path for _, file in group.files}) == len(group.files):
        return {}
    counts: Counter[str] = Counter()
    times = {}
    for number, file in group.files:
        times[number] = counts[file.data.path]
        counts[file.data.path] += 1
    return times


def prunes_structs(work: Work) -> bool:
    """Whether Spark prunes unused fields of `_metadata`; the two ways to get a position are mutually exclusive."""
    return work.provider.settings.prunes_structs


def compiles_unions(work: Work) -> bool:
    """Whether Spark generates code across unions, which makes it cheap to read files apart."""
    return work.provider.settings.compiles_unions


def _file_rows(work: Work, plan: ScanPlan, part: _ScanPart, virtual: Sequence[str], for_view: bool) -> DataFrame:
    columns = plan.table.definition.columns
    schema = _read_schema(columns, part, virtual)
    origin = _origin(part, schema)
    frame = _live_rows(work, plan, part, schema, origin)
    if part.embeds_snapshots:
        frame = frame.where(f"{quoted_name(SNAPSHOT_ID)} <= {plan.snapshot_id}")
    pairs = zip(columns, part.naming, strict=True)
    shown = [_shown_column(now, then, part, origin, for_view) for now, then in pairs]
    return select_columns(
        frame, [*shown, *(f"{_virtual_column(name, part, origin)} AS {quoted_name(name)}" for name in virtual)]
    )


@dataclass(frozen=True, slots=True)
class _Origin:
    """The origin of a row, as SQL expressions over Spark's metadata."""

    number: str
    position: str
    path: str
    hidden: bool
    """Spark's metadata column is hidden by a column with the same name."""


def _origin(part: _ScanPart, schema: st.StructType) -> _Origin:
    hidden = any(fold(name) == _SPARKS for name in schema.names)
    source = _ORIGIN if hidden else _SPARKS
    return _Origin(
        f"unix_millis({source}.file_modification_time)",
        quoted_name(ROW_INDEX) if part.reads_row_index else f"{source}.row_index",
        f"{source}.file_path",
        hidden,
    )


def _live_rows(work: Work, plan: ScanPlan, part: _ScanPart, schema: st.StructType, origin: _Origin) -> DataFrame:
    """The rows of files without deleted ones; cached like a relation if there are deletes."""

    def build_rows() -> DataFrame:
        files = [file for _, file in part.files]
        deleted = build_bitmaps(files, deleted_positions(work, plan.table, files))
        if part.is_numbered:
            rows = _relation_with_origin(work, schema, origin, [(number, file.data) for number, file in part.files])
            start = number_per_file(part.files, origin.number, deleted.starts)
        else:
            rows = _relation_with_origin(
                work, schema, origin, [(at, f.data) for at, f in zip(deleted.starts, files, strict=True)]
            )
            start = origin.number if len(set(deleted.starts)) > 1 else f"{deleted.starts[0]}L"
        return rows.where(~deleted.has(work, start, origin.position))

    if not part.with_deletes:
        return _relation_with_origin(work, schema, origin, [(number, file.data) for number, file in part.files])
    if is_remote(work.spark):
        return build_rows()
    # Files are immutable; from a delete file for several snapshots, a scan reads the positions up to its own snapshot.
    files = [(number, file.data.data_file_id, file.data.path, file.delete) for number, file in part.files]
    by_snapshot = any(file.delete is not None and file.delete.partial_max is not None for _, file in part.files)
    base = work.tx.base if by_snapshot else None
    known_by = (work.storage.root, schema.json(), part.reads_row_index, part.is_numbered, files, base)
    # The underlying relation is cached as well.
    bits = _count_rows(numbered for numbered in part.files if numbered[1].delete is not None)
    return cached_relation(work, repr(known_by), build_rows, kilobytes=len(files) + bits // 8192)


def _relation_with_origin(
    work: Work, schema: st.StructType, origin: _Origin, files: Sequence[tuple[int, DataFile]]
) -> DataFrame:
    frame = file_relation(work, schema, files)
    return frame.select("*", frame.metadataColumn(_SPARKS).alias(_ORIGIN)) if origin.hidden else frame


def _read_schema(columns: Sequence[Column], part: _ScanPart, virtual: Sequence[str]) -> st.StructType:
    schema = st.StructType()
    for now, then in zip(columns, part.naming, strict=True):
        if isinstance(then, Column):
            schema = schema.add(then.name, read_type(now, then))
    if part.reads_row_index:
        schema = schema.add(ROW_INDEX, st.LongType())
    if part.row_ids == "file":
        schema = schema.add(ROW_ID, st.LongType())
    if part.embeds_snapshots:
        schema = schema.add(SNAPSHOT_ID, st.LongType())
    return schema


def _shown_column(
    now: Column, then: Column | PathColumn | None, part: _ScanPart, origin: _Origin, for_view: bool
) -> Expression | str:
    if then is None:
        return initial_default_value(now).alias(now.name)
    if isinstance(then, PathColumn):
        return path_values(now, then, part.files, lambda: F.expr(origin.number)).alias(now.name)
    if read_type(now, then) == shown_type(now.type):
        if for_view and then.name == now.name:
            return quoted_name(now.name)
        return f"{quoted_name(then.name)} AS {quoted_name(now.name)}"
    return convert_from_file(column_named(then.name), now, then).alias(now.name)


def _virtual_column(name: str, part: _ScanPart, origin: _Origin) -> str:
    match name:
        case name if name in ROW_IDS and part.row_ids == "file":
            return quoted_name(ROW_ID)
        case name if name in ROW_IDS and part.row_ids == "counted":
            starts = [file.data.row_id_start or 0 for _, file in part.files]
            return f"{number_per_file(part.files, origin.number, starts)} + {origin.position}"
        case name if name in SNAPSHOT_IDS and part.embeds_snapshots:
            return quoted_name(SNAPSHOT_ID)
        case name if name in SNAPSHOT_IDS:
            begins = [file.data.begin_snapshot for _, file in part.files]
            known = [None if begin == UNCOMMITTED else begin for begin in begins]
            return number_per_file(part.files, origin.number, known)
        case "filename":
            return origin.path
        case "file_row_number":
            return origin.position
        case name if name == ADDRESS:
            return f"shiftleft({origin.number}, {POSITION_BITS}) | {origin.position}"
    return f"CAST(NULL AS {VIRTUAL[name]})"
