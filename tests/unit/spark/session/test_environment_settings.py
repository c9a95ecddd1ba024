"""What is known of Spark's settings before it starts."""

from pathlib import Path

import pytest

from forklake.spark.session.environment_settings import environment_settings
from forklake.spark.session.provider import SparkProvider


def test_options_of_the_command_line_are_read_in_each_spelling() -> None:
    arguments = "--master local[2] --conf spark.a=1 -c spark.b=2=3 --conf=spark.c=4 --conf 'spark.d=x y' pyspark-shell"
    assert environment_settings({"PYSPARK_SUBMIT_ARGS": arguments, "SPARK_CONF_DIR": "/nowhere"}) == {
        "spark.a": "1",
        "spark.b": "2=3",
        "spark.c": "4",
        "spark.d": "x y",
    }


def test_files_of_settings_are_read_and_the_command_line_takes_precedence(tmp_path: Path) -> None:
    (tmp_path / "spark-defaults.conf").write_text("# no\nspark.a 1\n spark.b = 2\nspark.c: 3\n\n! no", encoding="utf-8")
    (tmp_path / "mine").write_text("spark.d\t4", encoding="utf-8")
    environment = {"SPARK_CONF_DIR": str(tmp_path)}
    assert environment_settings(environment) == {"spark.a": "1", "spark.b": "2", "spark.c": "3"}
    environment["PYSPARK_SUBMIT_ARGS"] = "--conf spark.a=5"
    assert environment_settings(environment)["spark.a"] == "5"
    environment["PYSPARK_SUBMIT_ARGS"] = f"--properties-file {tmp_path / 'mine'}"
    assert environment_settings(environment) == {"spark.d": "4"}
    environment["PYSPARK_SUBMIT_ARGS"] += " --load-spark-defaults"
    assert environment_settings(environment)["spark.b"] == "2"


def test_settings_of_the_environment_turn_shortcuts_off_before_spark_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert SparkProvider()._before_start.is_usual
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--conf spark.sql.caseSensitive=true pyspark-shell")
    assert not SparkProvider()._before_start.is_usual
    assert SparkProvider(settings={"spark.sql.caseSensitive": "false"})._before_start.is_usual
