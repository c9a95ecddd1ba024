-- Read-only views for direct SQL. Each shows the effective rows of every catalog: `catalog_id` is the catalog that
-- sees a row, whoever wrote it. Whatever an ancestor began, ended or dropped after the fork does not show.
--
-- A catalog ends its own rows in place, so only markers of a smaller depth can end a row. The marker of a dropped
-- table (kind 0) ends the catalog's own files too. 9223372036854775807 stands for "never", as min() wants a number.

-- The metadata keep a version of the whole table for every alteration. A view has a row until what the view shows
-- changes, as DuckLake's tables do: an entry begins after the last version that shows something else, and ends with the
-- last version that shows the same.

-- The end markers that count for a catalog.
CREATE VIEW IF NOT EXISTS lake_seen_end AS
SELECT k.catalog_id, k.depth, e.kind, e.scope_id, e.object_id, e.begin_snapshot, e.end_snapshot
FROM lake_catalog_ancestor k
JOIN lake_row_end e ON e.catalog_id = k.ancestor_id AND e.end_snapshot <= k.max_snapshot;

-- Every version of the schemas, tables, views and macros. `path` starts at the lake's data path.
CREATE VIEW IF NOT EXISTS lake_seen_object AS
SELECT
    a.catalog_id, o.object_id, o.begin_snapshot,
    nullif(min(
        CASE WHEN o.end_snapshot <= a.max_snapshot THEN o.end_snapshot ELSE 9223372036854775807 END,
        CASE WHEN a.depth = 0 THEN 9223372036854775807 ELSE coalesce((
            SELECT min(e.end_snapshot)
            FROM lake_seen_end e
            WHERE e.catalog_id = a.catalog_id AND e.depth < a.depth AND e.kind = 3 AND e.scope_id = 0
              AND e.object_id = o.object_id AND e.begin_snapshot = o.begin_snapshot
        ), 9223372036854775807) END
    ), 9223372036854775807) AS end_snapshot,
    o.kind, o.schema_id, o.name, o.object_uuid,
    (SELECT c.path FROM lake_catalog c WHERE c.catalog_id = a.catalog_id) || '/' || o.path AS path, o.definition
FROM lake_catalog_ancestor a
JOIN lake_object o ON o.catalog_id = a.ancestor_id AND o.begin_snapshot <= a.max_snapshot;

-- Schemas, tables, views and macros as entries: a comment, or an alteration of columns, begins no new one.
CREATE VIEW IF NOT EXISTS lake_seen_entry AS
SELECT
    o.catalog_id, o.object_id,
    (
        SELECT min(v.begin_snapshot) FROM lake_seen_object v
        WHERE v.catalog_id = o.catalog_id AND v.object_id = o.object_id AND v.begin_snapshot > coalesce((
            SELECT max(b.begin_snapshot) FROM lake_seen_object b
            WHERE b.catalog_id = o.catalog_id AND b.object_id = o.object_id AND b.begin_snapshot < o.begin_snapshot
              AND (b.name <> o.name OR b.schema_id <> o.schema_id OR o.kind <> 'table'
                   AND json_remove(b.definition, '$.tags') <> json_remove(o.definition, '$.tags'))
        ), -1)
    ) AS begin_snapshot,
    o.end_snapshot, o.kind, o.schema_id, o.name, o.object_uuid, o.path, o.definition
FROM lake_seen_object o
WHERE CASE WHEN o.end_snapshot IS NULL THEN 1 ELSE coalesce((
    SELECT n.name <> o.name OR n.schema_id <> o.schema_id OR o.kind <> 'table'
        AND json_remove(n.definition, '$.tags') <> json_remove(o.definition, '$.tags')
    FROM lake_seen_object n
    WHERE n.catalog_id = o.catalog_id AND n.object_id = o.object_id AND n.begin_snapshot > o.begin_snapshot
    ORDER BY n.begin_snapshot LIMIT 1
), 1) END;

-- The columns and nested fields of every version of a table, parents before children.
CREATE VIEW IF NOT EXISTS lake_seen_column AS
SELECT
    t.catalog_id, t.object_id AS table_id, t.begin_snapshot, t.end_snapshot, field.value ->> 'id' AS column_id,
    row_number() OVER (PARTITION BY t.catalog_id, t.object_id, t.begin_snapshot ORDER BY field.id) AS column_order,
    CASE
        WHEN field.path <> '$.columns'
        THEN json_extract(t.definition, substr(field.path, 1, length(field.path) - length('.children')) || '.id')
    END AS parent_column,
    field.value AS document
FROM lake_seen_object t
JOIN json_tree(t.definition, '$.columns') field
WHERE t.kind = 'table' AND field.type = 'object' AND typeof(field.key) = 'integer';

-- The newest statistics of each live table.
CREATE VIEW IF NOT EXISTS lake_seen_stats AS
SELECT t.catalog_id, t.object_id AS table_id, s.record_count, s.next_row_id, s.file_size_bytes, s.column_stats
FROM lake_seen_object t
JOIN lake_catalog_ancestor a ON a.catalog_id = t.catalog_id
JOIN lake_table_stats s
  ON s.catalog_id = a.ancestor_id AND s.table_id = t.object_id AND s.begin_snapshot = (
      SELECT max((
          SELECT n.begin_snapshot
          FROM lake_table_stats n
          WHERE n.catalog_id = k.ancestor_id AND n.table_id = t.object_id AND n.begin_snapshot <= k.max_snapshot
          ORDER BY n.begin_snapshot DESC LIMIT 1
      ))
      FROM lake_catalog_ancestor k
      WHERE k.catalog_id = t.catalog_id
  )
WHERE t.kind = 'table' AND t.end_snapshot IS NULL;

-- The implementations of a macro, as its newest version has them.
CREATE VIEW IF NOT EXISTS lake_seen_macro_impl AS
SELECT o.catalog_id, o.object_id AS macro_id, o.kind, i.key AS impl_id, i.value AS document
FROM lake_seen_object o
JOIN json_each(o.definition, '$.implementations') i
WHERE o.kind IN ('scalar_macro', 'table_macro')
  AND NOT EXISTS (
      SELECT 1 FROM lake_seen_object later
      WHERE later.catalog_id = o.catalog_id AND later.object_id = o.object_id AND later.begin_snapshot > o.begin_snapshot
  );

-- Catalogs and history

CREATE VIEW IF NOT EXISTS ducklake_catalog AS
SELECT
    catalog_id, catalog_uuid, catalog_name, parent_catalog_id, begin_snapshot, end_snapshot,
    path, fork_snapshot, head_snapshot, schema_version
FROM lake_catalog;

CREATE VIEW IF NOT EXISTS ducklake_metadata AS
SELECT key, value, NULL AS scope, NULL AS scope_id, NULL AS catalog_id FROM lake_info
UNION ALL
-- DuckLake's own extension looks for the version first, and refuses one that it does not know.
SELECT 'version', 'Forklake ' || value, NULL, NULL, NULL FROM lake_info WHERE key = 'format_version'
UNION ALL
SELECT key, value, NULL, NULL, NULL FROM lake_instance_option
UNION ALL
SELECT o.key, o.value, nullif(o.scope, 'catalog'), CASE WHEN o.scope <> 'catalog' THEN o.scope_id END, a.catalog_id
FROM lake_catalog_ancestor a
JOIN lake_option o ON o.catalog_id = a.ancestor_id AND o.begin_snapshot <= a.max_snapshot
WHERE (o.end_snapshot IS NULL OR o.end_snapshot > a.max_snapshot)
  AND NOT EXISTS (
      SELECT 1 FROM lake_seen_end e
      WHERE e.catalog_id = a.catalog_id AND e.depth < a.depth
        AND e.kind = 5 AND e.scope_id = 0 AND e.object_id = o.option_id
  );

-- Each snapshot once, under the catalog that made it.
CREATE VIEW IF NOT EXISTS ducklake_snapshot AS
SELECT snapshot_id, snapshot_time, schema_version, NULL AS next_catalog_id, NULL AS next_file_id, catalog_id
FROM lake_snapshot;

CREATE VIEW IF NOT EXISTS ducklake_snapshot_changes AS
SELECT
    a.catalog_id, s.snapshot_id, s.changes_made, s.author, s.commit_message, s.commit_extra_info,
    s.snapshot_time, s.schema_version, s.catalog_id AS made_by_catalog_id
FROM lake_catalog_ancestor a
JOIN lake_snapshot s ON s.catalog_id = a.ancestor_id AND s.snapshot_id <= a.max_snapshot;

CREATE VIEW IF NOT EXISTS ducklake_snapshot_lineage AS
SELECT catalog_id, previous_snapshot_id, snapshot_id FROM lake_snapshot;

CREATE VIEW IF NOT EXISTS ducklake_schema_versions AS
SELECT a.catalog_id, min(s.snapshot_id) AS begin_snapshot, s.schema_version
FROM lake_catalog_ancestor a
JOIN lake_snapshot s ON s.catalog_id = a.ancestor_id AND s.snapshot_id <= a.max_snapshot
GROUP BY a.catalog_id, s.schema_version;

-- Schemas, tables, views, macros

-- Schemas are the objects of schema 0, which the index knows.
CREATE VIEW IF NOT EXISTS ducklake_schema AS
SELECT
    catalog_id, object_id AS schema_id, object_uuid AS schema_uuid, begin_snapshot, end_snapshot,
    name AS schema_name, path, 1 AS path_is_relative
FROM lake_seen_entry
WHERE kind = 'schema' AND schema_id = 0;

CREATE VIEW IF NOT EXISTS ducklake_table AS
SELECT
    catalog_id, object_id AS table_id, object_uuid AS table_uuid, begin_snapshot, end_snapshot,
    schema_id, name AS table_name, path, 1 AS path_is_relative
FROM lake_seen_entry
WHERE kind = 'table';

CREATE VIEW IF NOT EXISTS ducklake_view AS
SELECT
    catalog_id, object_id AS view_id, object_uuid AS view_uuid, begin_snapshot, end_snapshot,
    schema_id, name AS view_name, definition ->> 'dialect' AS dialect, definition ->> 'sql' AS sql,
    coalesce((
        SELECT group_concat('"' || replace(alias.value, '"', '""') || '"', ',')
        FROM json_each(definition, '$.column_aliases') alias
    ), '') AS column_aliases
FROM lake_seen_entry
WHERE kind = 'view';

CREATE VIEW IF NOT EXISTS ducklake_macro AS
SELECT catalog_id, schema_id, object_id AS macro_id, name AS macro_name, begin_snapshot, end_snapshot
FROM lake_seen_entry
WHERE kind IN ('scalar_macro', 'table_macro');

CREATE VIEW IF NOT EXISTS ducklake_macro_impl AS
SELECT
    catalog_id, macro_id, impl_id, document ->> 'dialect' AS dialect, document ->> 'sql' AS sql,
    CASE kind WHEN 'scalar_macro' THEN 'scalar' ELSE 'table' END AS type
FROM lake_seen_macro_impl;

CREATE VIEW IF NOT EXISTS ducklake_macro_parameters AS
SELECT
    i.catalog_id, i.macro_id, i.impl_id, p.key AS column_id, p.value ->> 'name' AS parameter_name,
    p.value ->> 'type' AS parameter_type, p.value ->> 'default' AS default_value,
    p.value ->> 'default_type' AS default_value_type
FROM lake_seen_macro_impl i
JOIN json_each(i.document, '$.parameters') p;

CREATE VIEW IF NOT EXISTS ducklake_column AS
SELECT
    catalog_id, column_id, began AS begin_snapshot, end_snapshot, table_id, column_order,
    document ->> 'name' AS column_name, document ->> 'type' AS column_type,
    document ->> 'initial' AS initial_default, document ->> 'default' AS default_value,
    NOT coalesce(document ->> 'not_null', 0) AS nulls_allowed, parent_column,
    document ->> 'default_type' AS default_value_type, document ->> 'dialect' AS default_value_dialect
FROM (
    SELECT
        version.*,
        max(CASE WHEN version.before IS NOT version.shown THEN version.begin_snapshot END)
            OVER (PARTITION BY version.catalog_id, version.table_id, version.column_id ORDER BY version.begin_snapshot) AS began
    FROM (
        SELECT
            field.*, json_remove(field.document, '$.children', '$.tags') AS shown,
            lag(json_remove(field.document, '$.children', '$.tags')) OVER versions AS before,
            lead(json_remove(field.document, '$.children', '$.tags')) OVER versions AS after
        FROM lake_seen_column field
        WINDOW versions AS (PARTITION BY field.catalog_id, field.table_id, field.column_id ORDER BY field.begin_snapshot)
    ) version
)
WHERE after IS NOT shown;

CREATE VIEW IF NOT EXISTS ducklake_tag AS
SELECT
    o.catalog_id, o.object_id,
    (
        SELECT min(v.begin_snapshot) FROM lake_seen_object v
        WHERE v.catalog_id = o.catalog_id AND v.object_id = o.object_id AND v.begin_snapshot > coalesce((
            SELECT max(b.begin_snapshot) FROM lake_seen_object b
            WHERE b.catalog_id = o.catalog_id AND b.object_id = o.object_id AND b.begin_snapshot < o.begin_snapshot
              AND (SELECT t.value FROM json_each(b.definition, '$.tags') t WHERE t.key = tag.key) IS NOT tag.value
        ), -1)
    ) AS begin_snapshot,
    o.end_snapshot, tag.key, tag.value
FROM lake_seen_object o
JOIN json_each(o.definition, '$.tags') tag
WHERE CASE WHEN o.end_snapshot IS NULL THEN 1 ELSE coalesce((
    SELECT (SELECT t.value FROM json_each(n.definition, '$.tags') t WHERE t.key = tag.key) IS NOT tag.value
    FROM lake_seen_object n
    WHERE n.catalog_id = o.catalog_id AND n.object_id = o.object_id AND n.begin_snapshot > o.begin_snapshot
    ORDER BY n.begin_snapshot LIMIT 1
), 1) END;

CREATE VIEW IF NOT EXISTS ducklake_column_tag AS
SELECT catalog_id, table_id, column_id, began AS begin_snapshot, end_snapshot, key, value
FROM (
    SELECT
        version.*,
        max(CASE WHEN version.before IS NOT version.value OR version.ended <> version.begin_snapshot THEN version.begin_snapshot END)
            OVER (PARTITION BY version.catalog_id, version.table_id, version.column_id, version.key ORDER BY version.begin_snapshot) AS began
    FROM (
        SELECT
            field.catalog_id, field.table_id, field.column_id, field.begin_snapshot, field.end_snapshot, tag.key, tag.value,
            lag(tag.value) OVER versions AS before, lag(field.end_snapshot) OVER versions AS ended,
            lead(tag.value) OVER versions AS after, lead(field.begin_snapshot) OVER versions AS begins
        FROM lake_seen_column field
        JOIN json_each(field.document, '$.tags') tag
        WINDOW versions AS (PARTITION BY field.catalog_id, field.table_id, field.column_id, tag.key ORDER BY field.begin_snapshot)
    ) version
)
WHERE after IS NOT value OR begins <> end_snapshot;

-- A spec lives through all versions of its table that name it.
CREATE VIEW IF NOT EXISTS ducklake_partition_info AS
SELECT
    catalog_id, json_extract(definition, '$.partition.id') AS partition_id, object_id AS table_id,
    min(begin_snapshot) AS begin_snapshot,
    CASE WHEN count(*) = count(end_snapshot) THEN max(end_snapshot) END AS end_snapshot
FROM lake_seen_object
WHERE kind = 'table' AND json_type(definition, '$.partition') = 'object'
GROUP BY catalog_id, object_id, json_extract(definition, '$.partition.id');

CREATE VIEW IF NOT EXISTS ducklake_partition_column AS
SELECT DISTINCT
    t.catalog_id, json_extract(t.definition, '$.partition.id') AS partition_id, t.object_id AS table_id,
    k.key AS partition_key_index, k.value ->> 'column_id' AS column_id, k.value ->> 'transform' AS transform
FROM lake_seen_object t
JOIN json_each(t.definition, '$.partition.keys') k
WHERE t.kind = 'table';

CREATE VIEW IF NOT EXISTS ducklake_sort_info AS
SELECT
    catalog_id, json_extract(definition, '$.sort.id') AS sort_id, object_id AS table_id,
    min(begin_snapshot) AS begin_snapshot,
    CASE WHEN count(*) = count(end_snapshot) THEN max(end_snapshot) END AS end_snapshot
FROM lake_seen_object
WHERE kind = 'table' AND json_type(definition, '$.sort') = 'object'
GROUP BY catalog_id, object_id, json_extract(definition, '$.sort.id');

CREATE VIEW IF NOT EXISTS ducklake_sort_expression AS
SELECT DISTINCT
    t.catalog_id, json_extract(t.definition, '$.sort.id') AS sort_id, t.object_id AS table_id,
    k.key AS sort_key_index, k.value ->> 'expression' AS expression, k.value ->> 'dialect' AS dialect,
    k.value ->> 'direction' AS sort_direction, k.value ->> 'null_order' AS null_order
FROM lake_seen_object t
JOIN json_each(t.definition, '$.sort.keys') k
WHERE t.kind = 'table';

-- Files

CREATE VIEW IF NOT EXISTS ducklake_data_file AS
SELECT
    a.catalog_id, f.data_file_id, f.table_id, f.begin_snapshot,
    nullif(min(
        CASE WHEN f.end_snapshot <= a.max_snapshot THEN f.end_snapshot ELSE 9223372036854775807 END,
        coalesce((
            SELECT min(e.end_snapshot)
            FROM lake_seen_end e
            WHERE e.catalog_id = a.catalog_id AND e.depth <= a.depth AND e.kind = 0 AND e.scope_id = f.table_id
        ), 9223372036854775807),
        CASE WHEN a.depth = 0 THEN 9223372036854775807 ELSE coalesce((
            SELECT min(e.end_snapshot)
            FROM lake_seen_end e
            WHERE e.catalog_id = a.catalog_id AND e.depth < a.depth AND e.kind = 1 AND e.scope_id = f.table_id
              AND e.object_id = f.data_file_id
        ), 9223372036854775807) END
    ), 9223372036854775807) AS end_snapshot,
    NULL AS file_order, f.path, f.path_is_relative, f.file_format, f.record_count, f.file_size_bytes, f.footer_size,
    f.row_id_start, f.partition_id, f.encryption_key, NULL AS partial_file_info, f.mapping_id, f.partial_max
FROM lake_catalog_ancestor a
JOIN lake_data_file f ON f.catalog_id = a.ancestor_id AND f.begin_snapshot <= a.max_snapshot;

CREATE VIEW IF NOT EXISTS ducklake_delete_file AS
SELECT
    a.catalog_id, f.delete_file_id, f.table_id, f.begin_snapshot,
    nullif(min(
        CASE WHEN f.end_snapshot <= a.max_snapshot THEN f.end_snapshot ELSE 9223372036854775807 END,
        coalesce((
            SELECT min(e.end_snapshot)
            FROM lake_seen_end e
            WHERE e.catalog_id = a.catalog_id AND e.depth <= a.depth AND e.kind = 0 AND e.scope_id = f.table_id
        ), 9223372036854775807),
        CASE WHEN a.depth = 0 THEN 9223372036854775807 ELSE coalesce((
            SELECT min(e.end_snapshot)
            FROM lake_seen_end e
            WHERE e.catalog_id = a.catalog_id AND e.depth < a.depth AND e.kind = 2 AND e.scope_id = f.table_id
              AND e.object_id = f.delete_file_id
        ), 9223372036854775807) END
    ), 9223372036854775807) AS end_snapshot,
    f.data_file_id, f.path, f.path_is_relative, f.format, f.delete_count, f.file_size_bytes, f.footer_size,
    f.encryption_key, f.partial_max
FROM lake_catalog_ancestor a
JOIN lake_delete_file f ON f.catalog_id = a.ancestor_id AND f.begin_snapshot <= a.max_snapshot;

-- What is known about a file shows with the file: it has no begin of its own.
CREATE VIEW IF NOT EXISTS ducklake_file_column_stats AS
SELECT
    a.catalog_id, s.data_file_id, s.table_id, s.column_id, s.column_size_bytes, s.value_count, s.null_count,
    s.min_value, s.max_value, s.contains_nan, s.extra_stats
FROM lake_catalog_ancestor a
JOIN lake_file_column_stats s ON s.catalog_id = a.ancestor_id
JOIN lake_data_file f
  ON f.catalog_id = s.catalog_id AND f.table_id = s.table_id AND f.data_file_id = s.data_file_id
 AND f.begin_snapshot <= a.max_snapshot;

CREATE VIEW IF NOT EXISTS ducklake_file_partition_value AS
SELECT a.catalog_id, v.data_file_id, v.table_id, v.partition_key_index, v.partition_value
FROM lake_catalog_ancestor a
JOIN lake_file_partition_value v ON v.catalog_id = a.ancestor_id
JOIN lake_data_file f
  ON f.catalog_id = v.catalog_id AND f.table_id = v.table_id AND f.data_file_id = v.data_file_id
 AND f.begin_snapshot <= a.max_snapshot;

CREATE VIEW IF NOT EXISTS ducklake_column_mapping AS
SELECT a.catalog_id, m.mapping_id, m.table_id, m.mapping ->> 'type' AS type
FROM lake_catalog_ancestor a
JOIN lake_column_mapping m ON m.catalog_id = a.ancestor_id AND m.begin_snapshot <= a.max_snapshot;

CREATE VIEW IF NOT EXISTS ducklake_name_mapping AS
SELECT
    a.catalog_id, m.mapping_id, n.value ->> 'id' AS column_id, n.value ->> 'source_name' AS source_name,
    n.value ->> 'target_field_id' AS target_field_id, n.value ->> 'parent' AS parent_column,
    coalesce(n.value ->> 'is_partition', 0) AS is_partition, m.table_id
FROM lake_catalog_ancestor a
JOIN lake_column_mapping m ON m.catalog_id = a.ancestor_id AND m.begin_snapshot <= a.max_snapshot
JOIN json_each(m.mapping, '$.columns') n;

-- One row for each table that has rows in the metadata database.
CREATE VIEW IF NOT EXISTS ducklake_inlined_data_tables AS
SELECT t.catalog_id, t.object_id AS table_id, 'lake_inlined_batch' AS table_name, c.schema_version
FROM lake_seen_object t
JOIN lake_catalog c ON c.catalog_id = t.catalog_id
WHERE t.kind = 'table' AND t.end_snapshot IS NULL
  AND EXISTS (
      SELECT 1
      FROM lake_catalog_ancestor a
      JOIN lake_inlined_batch b ON b.catalog_id = a.ancestor_id AND b.begin_snapshot <= a.max_snapshot
      WHERE a.catalog_id = t.catalog_id AND b.table_id = t.object_id
        AND (b.end_snapshot IS NULL OR b.end_snapshot > a.max_snapshot)
        AND NOT EXISTS (
            SELECT 1 FROM lake_seen_end e
            WHERE e.catalog_id = a.catalog_id AND e.depth < a.depth
              AND e.kind = 4 AND e.scope_id = b.table_id AND e.object_id = b.batch_id
        )
  );

-- A file that waits for deletion belongs to nobody's view any more: shown under the catalog that had it.
CREATE VIEW IF NOT EXISTS ducklake_files_scheduled_for_deletion AS
SELECT catalog_id, file_id AS data_file_id, path, path_is_relative, schedule_start FROM lake_scheduled_file;

-- Statistics of whole tables, as of now

CREATE VIEW IF NOT EXISTS ducklake_table_stats AS
SELECT catalog_id, table_id, record_count, next_row_id, file_size_bytes FROM lake_seen_stats;

CREATE VIEW IF NOT EXISTS ducklake_table_column_stats AS
SELECT
    s.catalog_id, s.table_id, CAST(c.key AS INTEGER) AS column_id, c.value ->> 'nulls' > 0 AS contains_null,
    c.value ->> 'nan' AS contains_nan, c.value ->> 'min' AS min_value, c.value ->> 'max' AS max_value,
    c.value ->> 'extra' AS extra_stats
FROM lake_seen_stats s
JOIN json_each(s.column_stats) c;
