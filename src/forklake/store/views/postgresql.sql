-- Read-only views for direct SQL. Each shows the effective rows of every catalog: `catalog_id` is the catalog that
-- sees a row, whoever wrote it. Whatever an ancestor began, ended or dropped after the fork does not show.
--
-- How they are written, and why:
-- * `ancestor_id + 0`: a few ancestors own most rows of a lake. Told so by its statistics, the planner would read
--   whole tables for the sake of any catalog. An expression has none, so it walks from the lineage through the
--   owner's index.
-- * End markers of files are joined as a set, which the planner may hash: looked up row by row, 100,000 files took
--   seconds. Those of objects, of which there are few, are looked up row by row: a view of two relations leaves room
--   to join several before join_collapse_limit (8) ties the planner's hands.
-- * The metadata keep a version of the whole table for every alteration. A view has a row until what the view shows
--   changes, as DuckLake's tables do: an entry begins after the last version that shows something else, and ends with
--   the last version that shows the same.
-- * A catalog ends its own rows in place, so only markers of a smaller depth can end a row, and only one does: what has
--   ended for a catalog, neither it nor its forks end again. The marker of a dropped table (kind 0) ends the catalog's
--   own files too.

-- A few catalogs own most files and markers. By their true number of catalogs, the planner would expect a handful of
-- rows of any one, and compare every file of a large one with every marker. From the next ANALYZE on.
ALTER TABLE lake_data_file ALTER COLUMN catalog_id SET (n_distinct = 1000);
ALTER TABLE lake_delete_file ALTER COLUMN catalog_id SET (n_distinct = 1000);
ALTER TABLE lake_row_end ALTER COLUMN catalog_id SET (n_distinct = 100);

-- The end markers that count for a catalog.
CREATE OR REPLACE VIEW lake_seen_end AS
SELECT k.catalog_id, k.depth, e.kind, e.scope_id, e.object_id, e.begin_snapshot, e.end_snapshot
FROM lake_catalog_ancestor k
JOIN lake_row_end e ON e.catalog_id = k.ancestor_id + 0 AND e.end_snapshot <= k.max_snapshot;

-- Every version of the schemas, tables, views and macros. `path` starts at the lake's data path.
CREATE OR REPLACE VIEW lake_seen_object AS
SELECT
    a.catalog_id, o.object_id, o.begin_snapshot,
    least(
        CASE WHEN o.end_snapshot <= a.max_snapshot THEN o.end_snapshot END,
        CASE WHEN a.depth > 0 THEN (
            SELECT min(e.end_snapshot)
            FROM lake_seen_end e
            WHERE e.catalog_id = a.catalog_id AND e.depth < a.depth AND e.kind = 3 AND e.scope_id = 0
              AND e.object_id = o.object_id AND e.begin_snapshot = o.begin_snapshot
        ) END
    ) AS end_snapshot,
    o.kind, o.schema_id, o.name, o.object_uuid,
    (SELECT c.path FROM lake_catalog c WHERE c.catalog_id = a.catalog_id) || '/' || o.path AS path, o.definition
FROM lake_catalog_ancestor a
JOIN lake_object o ON o.catalog_id = a.ancestor_id + 0 AND o.begin_snapshot <= a.max_snapshot;

-- Schemas, tables, views and macros as entries: a comment, or an alteration of columns, begins no new one.
CREATE OR REPLACE VIEW lake_seen_entry AS
SELECT
    o.catalog_id, o.object_id,
    (
        SELECT min(v.begin_snapshot) FROM lake_seen_object v
        WHERE v.catalog_id = o.catalog_id AND v.object_id = o.object_id AND v.begin_snapshot > coalesce((
            SELECT max(b.begin_snapshot) FROM lake_seen_object b
            WHERE b.catalog_id = o.catalog_id AND b.object_id = o.object_id AND b.begin_snapshot < o.begin_snapshot
              AND (b.name <> o.name OR b.schema_id <> o.schema_id
                   OR o.kind <> 'table' AND b.definition - 'tags' <> o.definition - 'tags')
        ), -1)
    ) AS begin_snapshot,
    o.end_snapshot, o.kind, o.schema_id, o.name, o.object_uuid, o.path, o.definition
FROM lake_seen_object o
WHERE CASE WHEN o.end_snapshot IS NULL THEN true ELSE coalesce((
    SELECT n.name <> o.name OR n.schema_id <> o.schema_id
        OR o.kind <> 'table' AND n.definition - 'tags' <> o.definition - 'tags'
    FROM lake_seen_object n
    WHERE n.catalog_id = o.catalog_id AND n.object_id = o.object_id AND n.begin_snapshot > o.begin_snapshot
    ORDER BY n.begin_snapshot LIMIT 1
), true) END;

-- The columns and nested fields of every version of a table, parents before children.
CREATE OR REPLACE VIEW lake_seen_column AS
SELECT
    t.catalog_id, t.object_id AS table_id, t.begin_snapshot, t.end_snapshot,
    (f.document ->> 'id')::bigint AS column_id, f.column_order, f.parent_column, f.document
FROM lake_seen_object t
CROSS JOIN LATERAL (
    WITH RECURSIVE field (document, parent_column, place) AS (
        SELECT top.value, NULL::bigint, ARRAY[top.ordinality]
        FROM jsonb_array_elements(t.definition -> 'columns') WITH ORDINALITY AS top
        UNION ALL
        SELECT child.value, (field.document ->> 'id')::bigint, field.place || child.ordinality
        FROM field
        CROSS JOIN LATERAL jsonb_array_elements(field.document -> 'children') WITH ORDINALITY AS child
    )
    SELECT document, parent_column, row_number() OVER (ORDER BY place) AS column_order FROM field
) f
WHERE t.kind = 'table';

-- The newest version of each table.
CREATE OR REPLACE VIEW lake_seen_table AS
SELECT o.catalog_id, o.object_id AS table_id
FROM lake_seen_object o
WHERE o.kind = 'table' AND coalesce((
    SELECT false FROM lake_seen_object n
    WHERE n.catalog_id = o.catalog_id AND n.object_id = o.object_id AND n.begin_snapshot > o.begin_snapshot LIMIT 1
), true);

-- The newest statistics of each live table.
CREATE OR REPLACE VIEW lake_seen_stats AS
SELECT t.catalog_id, t.object_id AS table_id, s.record_count, s.next_row_id, s.file_size_bytes, s.column_stats
FROM lake_seen_object t
CROSS JOIN LATERAL (
    SELECT newest.*
    FROM lake_catalog_ancestor a
    CROSS JOIN LATERAL (
        SELECT s.*
        FROM lake_table_stats s
        WHERE s.catalog_id = a.ancestor_id AND s.table_id = t.object_id AND s.begin_snapshot <= a.max_snapshot
        ORDER BY s.begin_snapshot DESC LIMIT 1
    ) newest
    WHERE a.catalog_id = t.catalog_id
    ORDER BY newest.begin_snapshot DESC LIMIT 1
) s
WHERE t.kind = 'table' AND t.end_snapshot IS NULL;

-- The implementations of a macro, as its newest version has them.
CREATE OR REPLACE VIEW lake_seen_macro_impl AS
SELECT o.catalog_id, o.object_id AS macro_id, o.kind, i.ordinality - 1 AS impl_id, i.value AS document
FROM lake_seen_object o
CROSS JOIN LATERAL jsonb_array_elements(o.definition -> 'implementations') WITH ORDINALITY AS i
WHERE o.kind IN ('scalar_macro', 'table_macro')
  AND NOT EXISTS (
      SELECT 1 FROM lake_seen_object later
      WHERE later.catalog_id = o.catalog_id AND later.object_id = o.object_id AND later.begin_snapshot > o.begin_snapshot
  );

-- Catalogs and history

CREATE OR REPLACE VIEW ducklake_catalog AS
SELECT
    catalog_id, catalog_uuid, catalog_name, parent_catalog_id, begin_snapshot, end_snapshot,
    path, fork_snapshot, head_snapshot, schema_version
FROM lake_catalog;

CREATE OR REPLACE VIEW ducklake_metadata AS
SELECT key, value, NULL::text AS scope, NULL::bigint AS scope_id, NULL::bigint AS catalog_id FROM lake_info
UNION ALL
-- DuckLake's own extension looks for the version first, and refuses one that it does not know.
SELECT 'version', 'Forklake ' || value, NULL, NULL, NULL FROM lake_info WHERE key = 'format_version'
UNION ALL
SELECT key, value, NULL, NULL, NULL FROM lake_instance_option
UNION ALL
SELECT o.key, o.value, nullif(o.scope, 'catalog'), CASE WHEN o.scope <> 'catalog' THEN o.scope_id END, a.catalog_id
FROM lake_catalog_ancestor a
JOIN lake_option o ON o.catalog_id = a.ancestor_id + 0 AND o.begin_snapshot <= a.max_snapshot
WHERE (o.end_snapshot IS NULL OR o.end_snapshot > a.max_snapshot)
  AND NOT EXISTS (
      SELECT 1 FROM lake_seen_end e
      WHERE a.depth > 0 AND e.catalog_id = a.catalog_id AND e.depth < a.depth
        AND e.kind = 5 AND e.scope_id = 0 AND e.object_id = o.option_id
  );

-- Each snapshot once, under the catalog that made it.
CREATE OR REPLACE VIEW ducklake_snapshot AS
SELECT
    snapshot_id, snapshot_time, schema_version, NULL::bigint AS next_catalog_id, NULL::bigint AS next_file_id,
    catalog_id
FROM lake_snapshot;

CREATE OR REPLACE VIEW ducklake_snapshot_changes AS
SELECT
    a.catalog_id, s.snapshot_id, s.changes_made, s.author, s.commit_message, s.commit_extra_info,
    s.snapshot_time, s.schema_version, s.catalog_id AS made_by_catalog_id
FROM lake_catalog_ancestor a
JOIN lake_snapshot s ON s.catalog_id = a.ancestor_id + 0 AND s.snapshot_id <= a.max_snapshot;

CREATE OR REPLACE VIEW ducklake_snapshot_lineage AS
SELECT catalog_id, previous_snapshot_id, snapshot_id FROM lake_snapshot;

CREATE OR REPLACE VIEW ducklake_schema_versions AS
SELECT a.catalog_id, min(s.snapshot_id) AS begin_snapshot, s.schema_version
FROM lake_catalog_ancestor a
JOIN lake_snapshot s ON s.catalog_id = a.ancestor_id + 0 AND s.snapshot_id <= a.max_snapshot
GROUP BY a.catalog_id, s.schema_version;

-- Schemas, tables, views, macros

-- Schemas are the objects of schema 0, which the index knows.
CREATE OR REPLACE VIEW ducklake_schema AS
SELECT
    catalog_id, object_id AS schema_id, object_uuid AS schema_uuid, begin_snapshot, end_snapshot,
    name AS schema_name, path, true AS path_is_relative
FROM lake_seen_entry
WHERE kind = 'schema' AND schema_id = 0;

CREATE OR REPLACE VIEW ducklake_table AS
SELECT
    catalog_id, object_id AS table_id, object_uuid AS table_uuid, begin_snapshot, end_snapshot,
    schema_id, name AS table_name, path, true AS path_is_relative
FROM lake_seen_entry
WHERE kind = 'table';

CREATE OR REPLACE VIEW ducklake_view AS
SELECT
    catalog_id, object_id AS view_id, object_uuid AS view_uuid, begin_snapshot, end_snapshot,
    schema_id, name AS view_name, definition ->> 'dialect' AS dialect, definition ->> 'sql' AS sql,
    coalesce((
        SELECT string_agg('"' || replace(alias.value, '"', '""') || '"', ',' ORDER BY alias.ordinality)
        FROM jsonb_array_elements_text(definition -> 'column_aliases') WITH ORDINALITY AS alias
    ), '') AS column_aliases
FROM lake_seen_entry
WHERE kind = 'view';

CREATE OR REPLACE VIEW ducklake_macro AS
SELECT catalog_id, schema_id, object_id AS macro_id, name AS macro_name, begin_snapshot, end_snapshot
FROM lake_seen_entry
WHERE kind IN ('scalar_macro', 'table_macro');

CREATE OR REPLACE VIEW ducklake_macro_impl AS
SELECT
    catalog_id, macro_id, impl_id, document ->> 'dialect' AS dialect, document ->> 'sql' AS sql,
    CASE kind WHEN 'scalar_macro' THEN 'scalar' ELSE 'table' END AS type
FROM lake_seen_macro_impl;

CREATE OR REPLACE VIEW ducklake_macro_parameters AS
SELECT
    i.catalog_id, i.macro_id, i.impl_id, p.ordinality - 1 AS column_id, p.value ->> 'name' AS parameter_name,
    p.value ->> 'type' AS parameter_type, p.value ->> 'default' AS default_value,
    p.value ->> 'default_type' AS default_value_type
FROM lake_seen_macro_impl i
CROSS JOIN LATERAL jsonb_array_elements(i.document -> 'parameters') WITH ORDINALITY AS p;

CREATE OR REPLACE VIEW ducklake_column AS
SELECT
    t.catalog_id, c.column_id, c.began AS begin_snapshot, c.end_snapshot, t.table_id, c.column_order,
    document ->> 'name' AS column_name, document ->> 'type' AS column_type,
    document ->> 'initial' AS initial_default, document ->> 'default' AS default_value,
    NOT coalesce((document ->> 'not_null')::boolean, false) AS nulls_allowed, parent_column,
    document ->> 'default_type' AS default_value_type, document ->> 'dialect' AS default_value_dialect
FROM lake_seen_table t
CROSS JOIN LATERAL (
    SELECT
        v.*,
        max(CASE WHEN v.before IS DISTINCT FROM v.shown THEN v.begin_snapshot END)
            OVER (PARTITION BY v.column_id ORDER BY v.begin_snapshot) AS began
    FROM (
        SELECT
            s.*, s.document - 'children' - 'tags' AS shown,
            lag(s.document - 'children' - 'tags') OVER versions AS before,
            lead(s.document - 'children' - 'tags') OVER versions AS after
        FROM lake_seen_column s
        WHERE s.catalog_id = t.catalog_id AND s.table_id = t.table_id
        WINDOW versions AS (PARTITION BY s.column_id ORDER BY s.begin_snapshot)
    ) v
) c
WHERE c.after IS DISTINCT FROM c.shown;

CREATE OR REPLACE VIEW ducklake_tag AS
SELECT
    o.catalog_id, o.object_id,
    (
        SELECT min(v.begin_snapshot) FROM lake_seen_object v
        WHERE v.catalog_id = o.catalog_id AND v.object_id = o.object_id AND v.begin_snapshot > coalesce((
            SELECT max(b.begin_snapshot) FROM lake_seen_object b
            WHERE b.catalog_id = o.catalog_id AND b.object_id = o.object_id AND b.begin_snapshot < o.begin_snapshot
              AND b.definition -> 'tags' ->> tag.key IS DISTINCT FROM tag.value
        ), -1)
    ) AS begin_snapshot,
    o.end_snapshot, tag.key, tag.value
FROM lake_seen_object o
CROSS JOIN LATERAL jsonb_each_text(o.definition -> 'tags') AS tag
WHERE CASE WHEN o.end_snapshot IS NULL THEN true ELSE coalesce((
    SELECT n.definition -> 'tags' ->> tag.key IS DISTINCT FROM tag.value
    FROM lake_seen_object n
    WHERE n.catalog_id = o.catalog_id AND n.object_id = o.object_id AND n.begin_snapshot > o.begin_snapshot
    ORDER BY n.begin_snapshot LIMIT 1
), true) END;

CREATE OR REPLACE VIEW ducklake_column_tag AS
SELECT t.catalog_id, t.table_id, c.column_id, c.began AS begin_snapshot, c.end_snapshot, c.key, c.value
FROM lake_seen_table t
CROSS JOIN LATERAL (
    SELECT
        v.*,
        max(CASE WHEN v.before IS DISTINCT FROM v.value OR v.ended <> v.begin_snapshot THEN v.begin_snapshot END)
            OVER (PARTITION BY v.column_id, v.key ORDER BY v.begin_snapshot) AS began
    FROM (
        SELECT
            s.column_id, s.begin_snapshot, s.end_snapshot, tag.key, tag.value,
            lag(tag.value) OVER versions AS before, lag(s.end_snapshot) OVER versions AS ended,
            lead(tag.value) OVER versions AS after, lead(s.begin_snapshot) OVER versions AS begins
        FROM lake_seen_column s
        CROSS JOIN LATERAL jsonb_each_text(s.document -> 'tags') AS tag
        WHERE s.catalog_id = t.catalog_id AND s.table_id = t.table_id
        WINDOW versions AS (PARTITION BY s.column_id, tag.key ORDER BY s.begin_snapshot)
    ) v
) c
WHERE c.after IS DISTINCT FROM c.value OR c.begins <> c.end_snapshot;

-- A spec lives through all versions of its table that name it.
CREATE OR REPLACE VIEW ducklake_partition_info AS
SELECT
    catalog_id, (definition -> 'partition' ->> 'id')::bigint AS partition_id, object_id AS table_id,
    min(begin_snapshot) AS begin_snapshot,
    CASE WHEN count(*) = count(end_snapshot) THEN max(end_snapshot) END AS end_snapshot
FROM lake_seen_object
WHERE kind = 'table' AND definition ? 'partition'
GROUP BY catalog_id, object_id, (definition -> 'partition' ->> 'id')::bigint;

CREATE OR REPLACE VIEW ducklake_partition_column AS
SELECT DISTINCT
    t.catalog_id, (t.definition -> 'partition' ->> 'id')::bigint AS partition_id, t.object_id AS table_id,
    k.ordinality - 1 AS partition_key_index, (k.value ->> 'column_id')::bigint AS column_id,
    k.value ->> 'transform' AS transform
FROM lake_seen_object t
CROSS JOIN LATERAL jsonb_array_elements(t.definition -> 'partition' -> 'keys') WITH ORDINALITY AS k
WHERE t.kind = 'table';

CREATE OR REPLACE VIEW ducklake_sort_info AS
SELECT
    catalog_id, (definition -> 'sort' ->> 'id')::bigint AS sort_id, object_id AS table_id,
    min(begin_snapshot) AS begin_snapshot,
    CASE WHEN count(*) = count(end_snapshot) THEN max(end_snapshot) END AS end_snapshot
FROM lake_seen_object
WHERE kind = 'table' AND definition ? 'sort'
GROUP BY catalog_id, object_id, (definition -> 'sort' ->> 'id')::bigint;

CREATE OR REPLACE VIEW ducklake_sort_expression AS
SELECT DISTINCT
    t.catalog_id, (t.definition -> 'sort' ->> 'id')::bigint AS sort_id, t.object_id AS table_id,
    k.ordinality - 1 AS sort_key_index, k.value ->> 'expression' AS expression, k.value ->> 'dialect' AS dialect,
    k.value ->> 'direction' AS sort_direction, k.value ->> 'null_order' AS null_order
FROM lake_seen_object t
CROSS JOIN LATERAL jsonb_array_elements(t.definition -> 'sort' -> 'keys') WITH ORDINALITY AS k
WHERE t.kind = 'table';

-- Files

CREATE OR REPLACE VIEW ducklake_data_file AS
SELECT
    a.catalog_id, f.data_file_id, f.table_id, f.begin_snapshot,
    least(
        CASE WHEN f.end_snapshot <= a.max_snapshot THEN f.end_snapshot END, dropped.end_snapshot, ended.end_snapshot
    ) AS end_snapshot,
    NULL::bigint AS file_order, f.path, f.path_is_relative, f.file_format, f.record_count, f.file_size_bytes,
    f.footer_size, f.row_id_start, f.partition_id, f.encryption_key, NULL::text AS partial_file_info, f.mapping_id,
    f.partial_max
FROM lake_catalog_ancestor a
JOIN lake_data_file f ON f.catalog_id = a.ancestor_id + 0 AND f.begin_snapshot <= a.max_snapshot
LEFT JOIN lake_seen_end dropped
  ON dropped.catalog_id = a.catalog_id AND dropped.depth <= a.depth AND dropped.kind = 0
 AND dropped.scope_id = f.table_id AND dropped.object_id = 0
LEFT JOIN lake_seen_end ended
  ON ended.catalog_id = a.catalog_id AND ended.depth < a.depth AND ended.kind = 1
 AND ended.scope_id = f.table_id AND ended.object_id = f.data_file_id;

CREATE OR REPLACE VIEW ducklake_delete_file AS
SELECT
    a.catalog_id, f.delete_file_id, f.table_id, f.begin_snapshot,
    least(
        CASE WHEN f.end_snapshot <= a.max_snapshot THEN f.end_snapshot END, dropped.end_snapshot, ended.end_snapshot
    ) AS end_snapshot,
    f.data_file_id, f.path, f.path_is_relative, f.format, f.delete_count, f.file_size_bytes, f.footer_size,
    f.encryption_key, f.partial_max
FROM lake_catalog_ancestor a
JOIN lake_delete_file f ON f.catalog_id = a.ancestor_id + 0 AND f.begin_snapshot <= a.max_snapshot
LEFT JOIN lake_seen_end dropped
  ON dropped.catalog_id = a.catalog_id AND dropped.depth <= a.depth AND dropped.kind = 0
 AND dropped.scope_id = f.table_id AND dropped.object_id = 0
LEFT JOIN lake_seen_end ended
  ON ended.catalog_id = a.catalog_id AND ended.depth < a.depth AND ended.kind = 2
 AND ended.scope_id = f.table_id AND ended.object_id = f.delete_file_id;

-- What is known about a file shows with the file: it has no begin of its own.
CREATE OR REPLACE VIEW ducklake_file_column_stats AS
SELECT
    a.catalog_id, s.data_file_id, s.table_id, s.column_id, s.column_size_bytes, s.value_count, s.null_count,
    s.min_value, s.max_value, s.contains_nan, s.extra_stats
FROM lake_catalog_ancestor a
JOIN lake_file_column_stats s ON s.catalog_id = a.ancestor_id + 0
JOIN lake_data_file f
  ON f.catalog_id = s.catalog_id AND f.table_id = s.table_id AND f.data_file_id = s.data_file_id
 AND f.begin_snapshot <= a.max_snapshot;

CREATE OR REPLACE VIEW ducklake_file_partition_value AS
SELECT a.catalog_id, v.data_file_id, v.table_id, v.partition_key_index, v.partition_value
FROM lake_catalog_ancestor a
JOIN lake_file_partition_value v ON v.catalog_id = a.ancestor_id + 0
JOIN lake_data_file f
  ON f.catalog_id = v.catalog_id AND f.table_id = v.table_id AND f.data_file_id = v.data_file_id
 AND f.begin_snapshot <= a.max_snapshot;

CREATE OR REPLACE VIEW ducklake_column_mapping AS
SELECT a.catalog_id, m.mapping_id, m.table_id, m.mapping ->> 'type' AS type
FROM lake_catalog_ancestor a
JOIN lake_column_mapping m ON m.catalog_id = a.ancestor_id + 0 AND m.begin_snapshot <= a.max_snapshot;

CREATE OR REPLACE VIEW ducklake_name_mapping AS
SELECT
    a.catalog_id, m.mapping_id, (n.value ->> 'id')::bigint AS column_id, n.value ->> 'source_name' AS source_name,
    (n.value ->> 'target_field_id')::bigint AS target_field_id, (n.value ->> 'parent')::bigint AS parent_column,
    coalesce((n.value ->> 'is_partition')::boolean, false) AS is_partition, m.table_id
FROM lake_catalog_ancestor a
JOIN lake_column_mapping m ON m.catalog_id = a.ancestor_id + 0 AND m.begin_snapshot <= a.max_snapshot
CROSS JOIN LATERAL jsonb_array_elements(m.mapping -> 'columns') AS n;

-- One row for each table that has rows in the metadata database.
CREATE OR REPLACE VIEW ducklake_inlined_data_tables AS
SELECT t.catalog_id, t.object_id AS table_id, 'lake_inlined_batch'::text AS table_name, c.schema_version
FROM lake_seen_object t
JOIN lake_catalog c ON c.catalog_id = t.catalog_id
WHERE t.kind = 'table' AND t.end_snapshot IS NULL
  AND EXISTS (
      SELECT 1
      FROM lake_catalog_ancestor a
      JOIN lake_inlined_batch b ON b.catalog_id = a.ancestor_id + 0 AND b.begin_snapshot <= a.max_snapshot
      WHERE a.catalog_id = t.catalog_id AND b.table_id = t.object_id
        AND (b.end_snapshot IS NULL OR b.end_snapshot > a.max_snapshot)
        AND NOT EXISTS (
            SELECT 1 FROM lake_seen_end e
            WHERE a.depth > 0 AND e.catalog_id = a.catalog_id AND e.depth < a.depth
              AND e.kind = 4 AND e.scope_id = b.table_id AND e.object_id = b.batch_id
        )
  );

-- A file that waits for deletion belongs to nobody's view any more: shown under the catalog that had it.
CREATE OR REPLACE VIEW ducklake_files_scheduled_for_deletion AS
SELECT catalog_id, file_id AS data_file_id, path, path_is_relative, schedule_start FROM lake_scheduled_file;

-- Statistics of whole tables, as of now

CREATE OR REPLACE VIEW ducklake_table_stats AS
SELECT catalog_id, table_id, record_count, next_row_id, file_size_bytes FROM lake_seen_stats;

CREATE OR REPLACE VIEW ducklake_table_column_stats AS
SELECT
    s.catalog_id, s.table_id, c.key::bigint AS column_id, (c.value ->> 'nulls')::bigint > 0 AS contains_null,
    (c.value ->> 'nan')::boolean AS contains_nan, c.value ->> 'min' AS min_value, c.value ->> 'max' AS max_value,
    c.value ->> 'extra' AS extra_stats
FROM lake_seen_stats s
CROSS JOIN LATERAL jsonb_each(s.column_stats) AS c;
