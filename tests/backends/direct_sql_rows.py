"""A small lake as raw rows: a root, its fork, a fork of that, and a dropped catalog."""

import json

from forklake.model.lineage import NO_LIMIT
from forklake.store.connection import Row

ROOT, FORK, GRANDCHILD, DROPPED = 0, 10, 20, 30
MAIN, ORDERS, CUSTOMERS, SCRATCH, RECENT, ADD, PAIRS = 1, 2, 3, 4, 5, 6, 7


def uuid(number: int) -> str:
    return f"00000000-0000-0000-0000-{number:012d}"


def time(snapshot: int) -> str:
    return f"2026-01-01 00:00:{snapshot:02d}.000000+00:00"


def catalog(number: int, name: str, parent: int | None, at: int | None, head: int, end: int | None = None) -> Row:
    birth = {ROOT: 1, FORK: 5, GRANDCHILD: 11, DROPPED: 12}[number]
    return (number, uuid(number), name, name, parent, at, 0, birth, end, head, time(head), 1)


def snapshot(owner: int, number: int, previous: int | None, version: int, changes: str) -> Row:
    return (owner, number, previous, time(number), version, changes, "ann", f"message {number}", None, None)


def lake_object(
    owner: int, number: int, begin: int, end: int | None, kind: str, name: str, path: str | None, document: object
) -> Row:
    schema = 0 if kind == "schema" else MAIN
    return (owner, number, begin, end, kind, schema, name, name, uuid(number), path, json.dumps(document))


def data_file(owner: int, table: int, number: int, begin: int, end: int | None) -> Row:
    return (owner, table, number, begin, end, f"f{number}.parquet", True, "parquet", 10, 1000, 8)


def delete_file(owner: int, table: int, number: int, begin: int, end: int | None, of: int) -> Row:
    return (owner, table, number, begin, end, of, f"d{number}.parquet", True, "parquet", 1, 100, 8)


def file_stats(owner: int, table: int, number: int) -> Row:
    return (owner, table, 1, number, 0.0, 9.0, 10, 0, "0", "9", None, 80, None)


ORDERS_V1 = {
    "columns": [
        {"id": 1, "name": "id", "type": "int64", "not_null": True, "tags": {"comment": "the key"}},
        {
            "id": 2,
            "name": "lines",
            "type": "list",
            "children": [
                {
                    "id": 3,
                    "name": "element",
                    "type": "struct",
                    "children": [{"id": 4, "name": "sku", "type": "varchar"}, {"id": 5, "name": "n", "type": "int32"}],
                }
            ],
        },
        {
            "id": 6,
            "name": "day",
            "type": "date",
            "default": "today()",
            "default_type": "expression",
            "dialect": "spark",
        },
    ],
    "partition": {"id": 50, "keys": [{"column_id": 6, "transform": "identity"}]},
    "tags": {"comment": "all orders"},
}
ORDERS_V2 = {
    **ORDERS_V1,
    "sort": {
        "id": 51,
        "keys": [{"expression": "id", "direction": "DESC", "null_order": "NULLS_LAST", "dialect": "spark"}],
    },
}
ONE_COLUMN = {"columns": [{"id": 1, "name": "id", "type": "int64"}]}
SUM = {
    "sql": "x + y",
    "dialect": "spark",
    "parameters": [
        {"name": "x", "type": "unknown"},
        {"name": "y", "type": "int32", "default": "2", "default_type": "int32"},
    ],
}
ADD_V1 = {"implementations": [SUM]}
ADD_V2 = {"implementations": [SUM], "tags": {"comment": "sum"}}
PAIRS_V1 = {"implementations": [{"sql": "SELECT 1", "dialect": "duckdb", "parameters": []}]}
MAPPING = {
    "type": "map_by_name",
    "columns": [
        {"id": 0, "source_name": "lines", "target_field_id": 2, "parent": None, "is_partition": False},
        {"id": 1, "source_name": "element", "target_field_id": 3, "parent": 0, "is_partition": False},
    ],
}
STATS = {"1": {"values": 10, "nulls": 0, "min": "0", "max": "9"}, "6": {"values": 8, "nulls": 2, "nan": True}}

# 1-4 the root, 5 the fork (of 4), 6-8 the fork, 9-10 the root after the fork, 11 the grandchild (of the fork's 7).
WRITTEN = {
    "lake_catalog": [
        catalog(ROOT, "main", None, None, 10),
        catalog(FORK, "agent", ROOT, 4, 8),
        catalog(GRANDCHILD, "sub", FORK, 7, 11),
        catalog(DROPPED, "gone", ROOT, 4, 12, end=13),
    ],
    "lake_catalog_ancestor": [
        (ROOT, 0, ROOT, NO_LIMIT),
        (FORK, 0, FORK, NO_LIMIT),
        (FORK, 1, ROOT, 4),
        (GRANDCHILD, 0, GRANDCHILD, NO_LIMIT),
        (GRANDCHILD, 1, FORK, 7),
        (GRANDCHILD, 2, ROOT, 4),
    ],
    "lake_snapshot": [
        snapshot(ROOT, 1, None, 0, "created_schema:main"),
        snapshot(ROOT, 2, 1, 1, "created_table:main.orders"),
        snapshot(ROOT, 3, 2, 2, "inserted_into_table:2"),
        snapshot(ROOT, 4, 3, 2, "deleted_from_table:2"),
        snapshot(FORK, 5, 4, 2, "forked_from:0"),
        snapshot(FORK, 6, 5, 2, "inserted_into_table:2"),
        snapshot(FORK, 7, 6, 3, "dropped_table:4"),
        snapshot(FORK, 8, 7, 4, "altered_table:3"),
        snapshot(ROOT, 9, 4, 3, "dropped_table:2"),
        snapshot(ROOT, 10, 9, 3, "inserted_into_table:3"),
        snapshot(GRANDCHILD, 11, 7, 3, "forked_from:10"),
    ],
    "lake_object": [
        lake_object(ROOT, MAIN, 1, None, "schema", "main", "main/", {}),
        lake_object(ROOT, ORDERS, 2, 3, "table", "orders", "main/orders/", ORDERS_V1),
        lake_object(ROOT, ORDERS, 3, 9, "table", "orders", "main/orders/", ORDERS_V2),
        lake_object(ROOT, CUSTOMERS, 2, None, "table", "customers", "main/customers/", ONE_COLUMN),
        lake_object(ROOT, SCRATCH, 2, None, "table", "scratch", "main/scratch/", ONE_COLUMN),
        lake_object(
            ROOT, RECENT, 2, None, "view", "recent", None,
            {"sql": "SELECT 1, 2", "dialect": "spark", "column_aliases": ["a", 'b"c']},
        ),
        lake_object(ROOT, ADD, 2, 3, "scalar_macro", "add_up", None, ADD_V1),
        lake_object(ROOT, ADD, 3, None, "scalar_macro", "add_up", None, ADD_V2),
        lake_object(ROOT, PAIRS, 2, None, "table_macro", "pairs", None, PAIRS_V1),
        lake_object(FORK, CUSTOMERS, 8, None, "table", "clients", "main/customers/", ONE_COLUMN),
    ],
    "lake_data_file": [
        data_file(ROOT, ORDERS, 99, 2, 3),
        data_file(ROOT, ORDERS, 100, 3, None),
        data_file(ROOT, ORDERS, 101, 3, 9),
        data_file(ROOT, CUSTOMERS, 102, 3, None),
        data_file(ROOT, SCRATCH, 103, 3, None),
        data_file(ROOT, CUSTOMERS, 120, 10, None),
        data_file(FORK, ORDERS, 110, 6, None),
    ],
    "lake_delete_file": [delete_file(ROOT, ORDERS, 200, 4, 9, 101), delete_file(FORK, ORDERS, 210, 6, None, 101)],
    "lake_row_end": [
        (FORK, 1, ORDERS, 100, 3, 6),
        (FORK, 2, ORDERS, 200, 4, 6),
        (FORK, 3, 0, SCRATCH, 2, 7),
        (FORK, 0, SCRATCH, 0, 0, 7),
        (FORK, 3, 0, CUSTOMERS, 2, 8),
        (FORK, 4, CUSTOMERS, 300, 3, 8),
        (FORK, 5, 0, 400, 2, 6),
        (ROOT, 0, ORDERS, 0, 0, 9),
    ],
    "lake_file_column_stats": [
        file_stats(ROOT, ORDERS, 100), file_stats(ROOT, CUSTOMERS, 120), file_stats(FORK, ORDERS, 110),
    ],
    "lake_file_partition_value": [
        (ROOT, ORDERS, 100, 0, "2026-01-01"), (ROOT, CUSTOMERS, 120, 0, "x"), (FORK, ORDERS, 110, 0, None),
    ],
    "lake_table_stats": [
        (ROOT, ORDERS, 3, 20, 20, 2000, json.dumps(STATS)),
        (ROOT, CUSTOMERS, 3, 10, 10, 1000, "{}"),
        (ROOT, CUSTOMERS, 10, 30, 30, 3000, "{}"),
        (FORK, ORDERS, 6, 25, 30, 2500, json.dumps(STATS)),
    ],
    "lake_inlined_batch": [(ROOT, CUSTOMERS, 300, 3, None, 2, 0, 5, b"rows")],
    "lake_column_mapping": [(ROOT, ORDERS, 500, 3, json.dumps(MAPPING)), (ROOT, ORDERS, 501, 9, json.dumps(MAPPING))],
    "lake_option": [
        (ROOT, 400, 2, None, "catalog", 0, "target_file_size", "1000"),
        (ROOT, 401, 3, None, "table", ORDERS, "sort_on_insert", "false"),
        (ROOT, 402, 9, None, "catalog", 0, "later", "1"),
        (FORK, 403, 6, None, "catalog", 0, "target_file_size", "2000"),
    ],
    "lake_instance_option": [("encrypted", "false")],
    "lake_scheduled_file": [(ROOT, 98, "f98.parquet", True, time(9), 980)],
}  # fmt: skip
