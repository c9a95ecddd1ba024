"""Every script of this folder answers what it says, on both databases, and where it claims so, in DuckLake too."""

from pathlib import Path

import duckdb
import pytest
from pyspark.sql import SparkSession

import forklake
from tests.attached import attach_main
from tests.conftest import Place
from tests.ducklake_oracle import connect_oracle
from tests.sql.scripts import Names, Script, read_script, scripts_below, shown

HERE = Path(__file__).parent
SCRIPTS = list(scripts_below(HERE))


def name_of(path: Path) -> str:
    return str(path.relative_to(HERE).with_suffix(""))


CASES = [(path, backend) for path in SCRIPTS for backend in read_script(path).backends]


@pytest.mark.parametrize(("path", "backend"), CASES, ids=[f"{name_of(path)}-{backend}" for path, backend in CASES])
def test_a_script_answers_what_it_says(
    path: Path, backend: str, tmp_path: Path, spark: SparkSession, request: pytest.FixtureRequest
) -> None:
    script, place = read_script(path), request.getfixturevalue(f"{backend}_place")
    assert isinstance(place, Place)
    schema = "" if place.metadata_schema is None else f", METADATA_SCHEMA '{place.metadata_schema}'"
    names = Names(tmp_path, 1, place.url, schema)
    with forklake.connect(dialect=script.dialect, spark=spark) as session:
        attach_main(session, place, tmp_path)
        for step in script.steps:
            where = f"{path.name}:{step.line}: {step.text}"
            text = names.put_into(step.text)
            if step.error is not None:
                with pytest.raises(forklake.ForklakeError) as raised:
                    session.sql(text).fetchall()
                assert names.put_into(step.error) in str(raised.value), where
                continue
            rows = session.sql(text).fetchall()
            if step.rows is not None:
                assert shown(rows) == [names.put_into(row) for row in step.rows], where


ORACLE = [path for path in SCRIPTS if read_script(path).has_oracle]


@pytest.mark.parametrize("path", ORACLE, ids=name_of)
def test_ducklake_answers_the_same(path: Path, tmp_path: Path) -> None:
    script, names = read_script(path), Names(tmp_path, 0)
    connection = connect_oracle()
    connection.execute(f"ATTACH 'ducklake:{tmp_path / 'oracle.db'}' AS lake (DATA_PATH '{tmp_path / 'oracle'}/')")
    connection.execute("USE lake")
    for step in script.steps:
        where = f"{path.name}:{step.line}: {step.text}"
        text = names.put_into(step.text)
        if step.error is not None:
            with pytest.raises(duckdb.Error):
                connection.execute(text)
            continue
        rows = connection.execute(text).fetchall()
        if step.rows is not None:
            assert shown(rows) == [names.put_into(row) for row in step.rows], where
    connection.close()


def test_a_script_is_read_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "x.sql"
    path.write_text("-- a script\n-- dialect: duckdb\nSELECT 1,\n  2;\n--> 1 | 2\nSELECT x;\n--! missing\n")
    script: Script = read_script(path)
    assert script.dialect == "duckdb"
    assert [(step.text, step.rows, step.error) for step in script.steps] == [
        ("SELECT 1,\n  2", ["1 | 2"], None),
        ("SELECT x", None, "missing"),
    ]
