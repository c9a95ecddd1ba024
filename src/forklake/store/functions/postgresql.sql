-- Fork a catalog in one statement: a handful of rows, whatever the size of the parent.
--
-- The parent's row is locked FOR KEY SHARE: commits to the parent pass, dropping and expiring it wait. The fork
-- sees the parent up to its committed head, never up to an id drawn here: a commit in flight has a smaller id.
--
-- Who gives `new_uuid` may send the same call again when its answer was lost: the fork it made is `created`.
CREATE OR REPLACE FUNCTION ducklake_fork_catalog(
    parent text,
    name text,
    version bigint DEFAULT NULL,
    at timestamptz DEFAULT NULL,
    if_not_exists boolean DEFAULT false,
    new_uuid uuid DEFAULT gen_random_uuid()
) RETURNS TABLE (catalog_id bigint, catalog_name text, created boolean)
LANGUAGE plpgsql
-- Runs with the rights of the lake's owner: a web role needs EXECUTE on this, and nothing on the tables.
SECURITY DEFINER
SET search_path FROM CURRENT
-- Plans are kept by sessions. One that was made while the lake was small would read whole tables until somebody analyses
-- them, and thousands of forks are made by then.
SET enable_seqscan TO off
AS $$
#variable_conflict use_column
DECLARE
    source_id bigint;
    source_path text;
    source_parent bigint;
    source_depth integer;
    source_birth bigint;
    source_time timestamptz;
    horizon bigint;
    horizon_version bigint;
    owner bigint;
    skip boolean;
    unheard_of boolean;
    new_id bigint;
    birth bigint;
    birth_time timestamptz;
    folder text;
    is_second boolean;
BEGIN
    -- With many clients a fork costs mostly its statements, and then its expressions, which every transaction prepares
    -- anew: the common way has few.
    --
    -- What Python takes for a control character or white space, spelled out: classes depend on the locale.
    IF name IS NULL OR octet_length(name) > 255 OR name !~ '^[A-Za-z0-9_-]+$' AND (name IN ('', '.', '..')
       OR name ~ '[/\\\u0001-\u001f\u007f-\u009f]'
       OR name ~ '^[ \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]'
       OR name ~ '[ \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$') THEN
        RAISE EXCEPTION USING ERRCODE = 'FL005', MESSAGE = format('%s is not a valid catalog name.', quote_literal(left(name, 60)));
    END IF;
    IF version IS NOT NULL THEN
        IF at IS NOT NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'FL006', MESSAGE = 'Cannot specify both VERSION and TIMESTAMP.';
        END IF;
        unheard_of := version > (SELECT s.last_value FROM lake_snapshot_seq s);
        IF NOT unheard_of AND version > (
            SELECT c.head_snapshot FROM lake_catalog c WHERE c.catalog_name = parent AND c.end_snapshot IS NULL
        ) THEN
            -- A commit that is under way may have been given this id: it is waited for. Only here, because a stream of
            -- such locks would keep writers out.
            PERFORM 1 FROM lake_catalog c WHERE c.catalog_name = parent AND c.end_snapshot IS NULL FOR SHARE;
        END IF;
    END IF;
    SELECT c.catalog_id, c.path, c.parent_catalog_id, c.depth, c.begin_snapshot, c.head_time,
        c.head_snapshot, c.schema_version
    INTO source_id, source_path, source_parent, source_depth, source_birth, source_time, horizon, horizon_version
    FROM lake_catalog c WHERE c.catalog_name = parent AND c.end_snapshot IS NULL FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'FL001', MESSAGE = format('Catalog ''%s'' does not exist in this DuckLake instance.', left(parent, 60));
    END IF;

    IF if_not_exists OR version IS NOT NULL OR at IS NOT NULL THEN
        -- Others are told when they insert. A fork that is there is given as it is: without waiting for who writes to
        -- it, and even if its point in the parent is not there any more.
        RETURN QUERY SELECT * FROM lake_existing_fork(name, source_id, new_uuid, if_not_exists);
        IF FOUND THEN
            RETURN;
        END IF;
        IF version IS NOT NULL OR at IS NOT NULL THEN
            horizon := NULL;
            IF unheard_of IS NOT TRUE THEN
                SELECT p.snapshot_id, p.owner_id, p.schema_version INTO horizon, owner, horizon_version
                FROM lake_fork_point(source_id, version, at) p;
            END IF;
            IF horizon IS NULL THEN
                RAISE EXCEPTION USING ERRCODE = 'FL004', MESSAGE = CASE
                    WHEN version IS NOT NULL THEN format('No snapshot found at version %s in catalog ''%s''.', version, parent)
                    ELSE format('No snapshot found at timestamp %s in catalog ''%s''.', at, parent) END;
            END IF;
            IF owner <> source_id THEN
                -- The snapshot belongs to an ancestor: keep that one from expiring it too.
                PERFORM 1 FROM lake_catalog c WHERE c.catalog_id = owner FOR KEY SHARE;
                IF NOT EXISTS (SELECT 1 FROM lake_snapshot s WHERE s.catalog_id = owner AND s.snapshot_id = horizon) THEN
                    RAISE EXCEPTION USING ERRCODE = 'FL004', MESSAGE = format('No snapshot found at version %s in catalog ''%s''.', horizon, parent);
                END IF;
            END IF;
        END IF;
    END IF;
    -- A parent that has written nothing that the fork can see adds nothing to the chain.
    skip := horizon <= source_birth AND source_parent IS NOT NULL;

    new_id := nextval('lake_entity_seq');
    birth := nextval('lake_snapshot_seq');
    birth_time := greatest(clock_timestamp(), source_time + interval '1 microsecond');
    -- A parent that was renamed may have the folder, and whoever writes to it is not waited for.
    folder := CASE WHEN name !~ '^[A-Za-z0-9_-]+$' THEN new_uuid::text
                   WHEN name = source_path THEN left(name, 200) || '-' || new_uuid::text
                   ELSE name END;
    LOOP
        -- All rows in one statement, and no other before it.
        WITH made AS (
            INSERT INTO lake_catalog VALUES (
                new_id, new_uuid, name, folder, source_id, horizon, source_depth + 1,
                birth, NULL, birth, birth_time, horizon_version)
            ON CONFLICT DO NOTHING
            RETURNING catalog_id
        ), chained AS (
            INSERT INTO lake_catalog_ancestor
            SELECT m.catalog_id, 0, m.catalog_id, 9223372036854775807 FROM made m
            UNION ALL
            SELECT m.catalog_id, CASE WHEN skip THEN a.depth ELSE a.depth + 1 END, a.ancestor_id,
                least(a.max_snapshot, horizon)
            FROM made m, lake_catalog_ancestor a
            WHERE a.catalog_id = source_id AND NOT (skip AND a.depth = 0)
        ), born AS (
            INSERT INTO lake_snapshot
            SELECT m.catalog_id, birth, horizon, birth_time, horizon_version, 'forked_from:' || source_id,
                NULL, NULL, NULL, NULL
            FROM made m
        )
        SELECT m.catalog_id, name, true INTO catalog_id, catalog_name, created FROM made m;
        IF FOUND THEN
            RETURN NEXT;
            RETURN;
        END IF;
        -- The name or the folder is taken. Whoever has the name may have been faster by a moment.
        RETURN QUERY SELECT * FROM lake_existing_fork(name, source_id, new_uuid, if_not_exists);
        IF FOUND THEN
            RETURN;
        END IF;
        IF is_second THEN
            RAISE EXCEPTION USING ERRCODE = '40001', MESSAGE = format('Catalog ''%s'' was being created and dropped.', name);
        END IF;
        is_second := true;
        folder := left(folder, 200) || '-' || new_uuid::text;
    END LOOP;
END
$$;

REVOKE ALL ON FUNCTION ducklake_fork_catalog(text, text, bigint, timestamptz, boolean, uuid) FROM PUBLIC;

-- The snapshot that a version or a time means in a catalog, and which catalog of its lineage made it.
CREATE OR REPLACE FUNCTION lake_fork_point(
    source_id bigint, version bigint, at timestamptz,
    OUT snapshot_id bigint, OUT owner_id bigint, OUT schema_version bigint)
LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    follower bigint;
    found_time timestamptz;
    found_depth integer;
    horizon bigint;
    below record;
BEGIN
    SELECT found.snapshot_id, found.catalog_id, found.schema_version, found.snapshot_time, a.depth, a.max_snapshot
    INTO snapshot_id, owner_id, schema_version, found_time, found_depth, horizon
    FROM lake_catalog_ancestor a
    CROSS JOIN LATERAL (
        SELECT s.snapshot_id, s.catalog_id, s.schema_version, s.snapshot_time
        FROM lake_snapshot s
        WHERE s.catalog_id = a.ancestor_id AND s.snapshot_id <= least(a.max_snapshot, coalesce(version, a.max_snapshot))
          AND (at IS NULL OR s.snapshot_time <= at)
        ORDER BY s.snapshot_id DESC LIMIT 1) found
    WHERE a.catalog_id = source_id
    ORDER BY found.snapshot_id DESC LIMIT 1;
    IF snapshot_id IS NULL OR snapshot_id = version OR found_time = at THEN
        RETURN;
    END IF;
    -- Nothing may have expired between it and what was asked for. In its own catalog its successor names it. An
    -- ancestor's last one is where the catalog below has left it, and what was asked for is from before that one.
    SELECT s.previous_snapshot_id INTO follower FROM lake_snapshot s
    WHERE s.catalog_id = owner_id AND s.snapshot_id > lake_fork_point.snapshot_id AND s.snapshot_id <= horizon
    ORDER BY s.snapshot_id LIMIT 1;
    IF FOUND THEN
        IF follower IS DISTINCT FROM snapshot_id THEN
            snapshot_id := NULL;
        END IF;
    ELSIF owner_id <> source_id THEN
        SELECT c.begin_snapshot AS birth, EXISTS (
            SELECT 1 FROM lake_snapshot s WHERE s.catalog_id = c.catalog_id AND s.snapshot_id = c.begin_snapshot
        ) AS is_kept
        INTO below
        FROM lake_catalog_ancestor a JOIN lake_catalog c ON c.catalog_id = a.ancestor_id
        WHERE a.catalog_id = source_id AND a.depth < found_depth AND c.begin_snapshot <= a.max_snapshot
        ORDER BY a.depth DESC LIMIT 1;
        IF snapshot_id <> horizon OR (NOT below.is_kept AND coalesce(version >= below.birth, true)) THEN
            snapshot_id := NULL;
        END IF;
    END IF;
END
$$;

-- The live catalog of a name as the answer of a fork, or no row. It is fine only if it was asked for and is a fork of
-- the same parent.
CREATE OR REPLACE FUNCTION lake_existing_fork(wanted text, wanted_parent bigint, new_uuid uuid, if_not_exists boolean)
RETURNS TABLE (catalog_id bigint, catalog_name text, created boolean)
LANGUAGE plpgsql
SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    existing lake_catalog%ROWTYPE;
BEGIN
    SELECT c.* INTO existing FROM lake_catalog c WHERE c.catalog_name = wanted AND c.end_snapshot IS NULL;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    created := existing.catalog_uuid IS NOT DISTINCT FROM new_uuid;
    IF if_not_exists IS NOT TRUE AND NOT created THEN
        RAISE EXCEPTION USING ERRCODE = 'FL002',
            MESSAGE = format('Catalog ''%s'' already exists. Use if_not_exists to keep it.', existing.catalog_name);
    ELSIF existing.parent_catalog_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'FL003',
            MESSAGE = format('Catalog ''%s'' exists but is not a fork (it''s a root catalog).', existing.catalog_name);
    ELSIF existing.parent_catalog_id <> wanted_parent THEN
        RAISE EXCEPTION USING ERRCODE = 'FL003',
            MESSAGE = format('Catalog ''%s'' was forked from a different parent.', existing.catalog_name);
    END IF;
    RETURN QUERY SELECT existing.catalog_id, existing.catalog_name, created;
END
$$;

-- The owner uses them, and whoever is granted to.
REVOKE ALL ON FUNCTION lake_append, lake_merged_stats, lake_bound_number, lake_fork_point, lake_existing_fork FROM PUBLIC;
