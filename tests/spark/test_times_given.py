"""Times that statements are given: as texts, as parameters and from Python, in the zone of the session."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from forklake.errors import ForklakeError
from tests.spark.conftest import Lakehouse

ZONE = "spark.sql.session.timeZone"
OLD = [date(1500, 3, 1), date(1582, 10, 10), date(1, 1, 1), date(9999, 12, 31)]
AWARE = datetime(1500, 3, 1, 12, tzinfo=timezone(timedelta(hours=5, minutes=30)))


@contextmanager
def zone(local: Lakehouse, name: str) -> Iterator[None]:
    before = local.spark.conf.get(ZONE)
    local.session.sql(f"SET {ZONE} = {name}")
    try:
        yield
    finally:
        local.session.sql(f"SET {ZONE} = {before}")


@pytest.mark.parametrize("day", OLD)
def test_days_of_any_year_are_parameters(local: Lakehouse, day: date) -> None:
    session = local.session
    assert session.sql("SELECT ? AS d", [day]).fetchall() == [(day,)]
    assert session.sql("SELECT :d AS d", {"d": day}).fetchall() == [(day,)]
    local.lake.create_table("t", {"d": "date"})
    session.sql("INSERT INTO lake.t VALUES (?), (DATE '2024-01-01')", [day])
    assert session.sql("SELECT d FROM lake.t WHERE d = ?", [day]).fetchall() == [(day,)]
    assert session.sql("DELETE FROM lake.t WHERE d = :x", {"x": day}).fetchall() == [(1,)]
    assert session.sql("SELECT d FROM lake.t").fetchall() == [(date(2024, 1, 1),)]


def test_moments_are_parameters_in_the_zone_of_the_session(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "int", "n": "timestamp", "z": "timestamptz"})
    noon = datetime(2024, 7, 1, 12)
    with zone(local, "Asia/Tokyo"):
        local.session.sql("INSERT INTO lake.t VALUES (1, ?, ?)", [noon, noon])
        local.session.sql("INSERT INTO lake.t VALUES (2, :a, :a)", {"a": AWARE})
        given: dict[str, Any] = {"n": datetime(1500, 3, 1), "z": AWARE}
        table.update(given, where="id = 2")
        found = local.session.sql("SELECT id, n, z FROM lake.t ORDER BY id").fetchall()
    assert [(id_, n, z.astimezone(UTC)) for id_, n, z in found] == [
        (1, noon, noon.replace(tzinfo=ZoneInfo("Asia/Tokyo")).astimezone(UTC)),
        (2, datetime(1500, 3, 1), AWARE.astimezone(UTC)),
    ]


def test_a_text_before_an_alias_is_no_sign_of_a_parameter(local: Lakehouse) -> None:
    assert local.session.sql("SELECT ':'d, :d AS e", {"d": OLD[0]}).fetchall() == [(":", OLD[0])]


def test_a_zone_that_only_spark_knows_matters_to_times_without_one_alone(local: Lakehouse) -> None:
    local.lake.create_table("t", {"id": "int"}).append([(1,)])
    with zone(local, "GMT+08:00"):
        assert local.session.sql("SELECT count(*) FROM lake.snapshots()").fetchall()[0][0] > 1
        assert local.session.sql("SELECT * FROM lake.t AT (TIMESTAMP => now())").fetchall() == [(1,)]


def local_text(name: str, ago: timedelta) -> str:
    return f"{datetime.now(ZoneInfo(name)) - ago:%Y-%m-%d %H:%M:%S}"


@pytest.mark.parametrize("name", ["Asia/Tokyo", "America/New_York"])
def test_times_without_a_zone_are_in_that_of_the_session(local: Lakehouse, name: str) -> None:
    local.lake.create_table("t", {"id": "int"}).append([(1,)])
    session = local.session
    with zone(local, name):
        past, soon = local_text(name, timedelta(hours=2)), local_text(name, timedelta(hours=-1))
        assert session.sql(f"CALL lake.expire_snapshots(older_than => TIMESTAMP '{past}')").fetchall() == []
        assert session.sql(f"CALL lake.expire_snapshots(older_than => '{past}', dry_run => true)").fetchall() == []
        for kind in ("", "TIMESTAMP "):
            with pytest.raises(ForklakeError, match="No snapshot"):
                session.sql(f"SELECT * FROM lake.t AT (TIMESTAMP => {kind}'{past}')")
        [(count,)] = session.sql(f"SELECT count(*) FROM lake.t AT (TIMESTAMP => '{soon}')").fetchall()
        changes = session.sql(f"SELECT * FROM lake.table_changes('t', TIMESTAMP '{past}', now())").fetchall()
        session.sql(f"FORK CATALOG lake AS kid AT (TIMESTAMP => '{soon}')")
    assert (count, len(changes)) == (1, 1)


@pytest.mark.parametrize("place", ["t@v1", "t@v99999", "t@20200101000000000"])
def test_an_at_sign_is_not_passed_over(local: Lakehouse, place: str) -> None:
    local.lake.create_table("t", {"id": "int"}).append([(1,)])
    for query in ("SELECT count(*) FROM lake.{}", "SELECT * FROM lake.{}"):
        with pytest.raises(ForklakeError):
            local.session.sql(query.format(place)).fetchall()
