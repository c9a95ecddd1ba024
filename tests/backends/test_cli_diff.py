"""What is different between two snapshots, and between two catalogs."""

from typing import Any

from tests.backends.conftest import Shell


def head(shell: Shell) -> str:
    return str(shell.lake.snapshots()[-1].snapshot_id)


def by_name(rows: list[dict[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """By name: the kind of change, rows added and removed, files added and removed."""
    return {row["name"]: tuple(row.values())[3:] for row in rows}


def test_objects_that_come_go_and_change(shell: Shell) -> None:
    for name in ("gone", "old_name", "wider", "same"):
        shell.lake.create_table(name, {"id": "bigint"}).append([(1,), (2,)])
    before = head(shell)
    shell.lake.drop_table("gone")
    shell.lake.rename_table("old_name", "new_name")
    shell.lake.table("wider").add_column("more", "varchar")
    shell.lake.create_schema("s")
    shell.lake.create_table("s.new", {"id": "bigint"}).append([(number,) for number in range(20)])
    rows = shell.rows("diff", before)
    assert by_name(rows) == {
        "gone": ("dropped", 0, 2, 0, 0),
        "new_name": ("renamed", 0, 0, 0, 0),
        "wider": ("altered", 0, 0, 0, 0),
        "s": ("created", None, None, None, None),
        "new": ("created", 20, 0, 1, 0),
    }
    assert [(row["schema"], row["name"]) for row in rows][-2:] == [(None, "s"), ("s", "new")]
    back = by_name(shell.rows("diff", head(shell), before))
    assert (back["gone"], back["new"]) == (("created", 2, 0, 0, 0), ("dropped", 0, 20, 0, 1))
    assert back["old_name"] == ("renamed", 0, 0, 0, 0)


def test_rows_that_come_and_go(shell: Shell) -> None:
    before = head(shell)
    shell.lake.table("t").append([(number,) for number in range(20)])
    middle = head(shell)
    assert by_name(shell.rows("diff", before, middle)) == {"t": ("changed", 20, 0, 1, 0)}
    shell.lake.table("t").delete()
    assert by_name(shell.rows("diff", before)) == {"t": ("changed", 20, 23, 0, 0)}
    assert by_name(shell.rows("diff", middle)) == {"t": ("changed", 0, 23, 0, 1)}
    assert by_name(shell.rows("diff", head(shell), middle)) == {"t": ("changed", 23, 0, 1, 0)}
    assert shell.rows("diff", head(shell)) == []
    assert shell.run("diff", head(shell)).stdout == ""


def test_what_was_only_moved_is_no_row(shell: Shell) -> None:
    before = head(shell)
    shell.rows("flush-inlined-data")
    assert by_name(shell.rows("diff", before)) == {"t": ("changed", 0, 0, 1, 0)}


def test_a_fork_and_its_parent(shell: Shell) -> None:
    fork = shell.lake.fork("agent")
    assert shell.rows("diff", "--with", "agent") == []
    fork.table("t").append([(7,)])
    fork.create_table("own", {"id": "bigint"})
    assert by_name(shell.rows("diff", "--with", "agent")) == {
        "t": ("changed", 1, 0, 0, 0),
        "own": ("created", 0, 0, 0, 0),
    }
    shell.lake.table("t").append([(8,), (9,)])
    assert by_name(shell.rows("diff", "--with", "agent"))["t"] == ("changed", 1, 2, 0, 0)
    assert by_name(shell.rows("diff", "--with", "main", "--catalog", "agent"))["t"] == ("changed", 2, 1, 0, 0)


def test_two_forks_of_one_catalog_and_a_fork_of_a_fork(shell: Shell) -> None:
    one, two = shell.lake.fork("one"), shell.lake.fork("two")
    one.table("t").append([(1,)])
    two.table("t").delete()
    assert by_name(shell.rows("diff", "--catalog", "one", "--with", "two")) == {"t": ("changed", 0, 4, 0, 0)}
    deep = one.fork("deep")
    deep.table("t").append([(2,), (3,)])
    assert by_name(shell.rows("diff", "--catalog", "two", "--with", "deep")) == {"t": ("changed", 6, 0, 0, 0)}
    # Across the point where a fork began: the parent's snapshots are the fork's as well.
    assert by_name(shell.rows("diff", "1", "--catalog", "deep"))["t"] == ("created", 6, 0, 0, 0)


def test_catalogs_with_nothing_in_common(shell: Shell) -> None:
    shell.rows("init", "--catalog", "other")
    found = by_name(shell.rows("diff", "--with", "other"))
    assert found["t"] == ("dropped", 0, 3, 0, 0)


def test_where_snapshots_have_expired_the_difference_is_known(shell: Shell) -> None:
    before = head(shell)
    shell.lake.table("t").append([(number,) for number in range(5)])
    expired = head(shell)
    shell.lake.table("t").delete()
    shell.lake.table("t").append([(1,)])
    shell.lake.expire_snapshots(versions=[int(expired)])
    assert by_name(shell.rows("diff", before)) == {"t": ("changed", 0, 2, 0, 0)}
