"""Which lake is meant: options count before the environment, and that before a profile."""

from pathlib import Path

import pytest

from forklake.cli.target import LakeTarget, TargetOptions, UnclearTarget, config_file, find_target


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CONFIG_HOME": str(tmp_path)}


def write_profiles(environment: dict[str, str], text: str) -> None:
    file = config_file(environment)
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")


def test_options_say_everything(environment: dict[str, str]) -> None:
    given = TargetOptions("lake.db", "agent", "data", "s")
    assert find_target(given, None, environment) == LakeTarget("lake.db", "agent", "data", "s")


def test_the_catalog_is_main_if_nobody_says_which(environment: dict[str, str]) -> None:
    assert find_target(TargetOptions("lake.db"), None, environment) == LakeTarget("lake.db", "main", None, None)


def test_nobody_has_said_which_lake(environment: dict[str, str]) -> None:
    with pytest.raises(UnclearTarget, match="--lake"):
        find_target(TargetOptions(catalog="agent"), None, environment)


def test_the_environment_says_what_options_do_not(environment: dict[str, str]) -> None:
    environment |= {"FORKLAKE_LAKE": "e.db", "FORKLAKE_CATALOG": "e", "FORKLAKE_METADATA_SCHEMA": ""}
    assert find_target(TargetOptions(catalog="o"), None, environment) == LakeTarget("e.db", "o", None, None)


def test_a_profile_says_what_the_environment_does_not(environment: dict[str, str]) -> None:
    write_profiles(environment, '[default]\nlake = "p.db"\ncatalog = "p"\ndata_path = "d"\n')
    environment["FORKLAKE_CATALOG"] = "e"
    assert find_target(TargetOptions(), None, environment) == LakeTarget("p.db", "e", "d", None)


@pytest.mark.parametrize("how", ["option", "environment"])
def test_another_profile_is_asked_for_by_name(environment: dict[str, str], how: str) -> None:
    write_profiles(environment, '[default]\nlake = "p.db"\n[other]\nlake = "o.db"\n')
    if how == "environment":
        environment["FORKLAKE_PROFILE"] = "other"
    assert find_target(TargetOptions(), "other" if how == "option" else None, environment).lake == "o.db"


def test_a_file_without_a_default_profile_says_nothing(environment: dict[str, str]) -> None:
    write_profiles(environment, '[other]\nlake = "o.db"\n')
    assert find_target(TargetOptions("l.db"), None, environment).lake == "l.db"


@pytest.mark.parametrize(
    ("text", "profile", "message"),
    [
        (None, "other", "no profile 'other'"),
        ("[default]\n", "other", "no profile 'other'"),
        ("[default\n", None, "cannot be read"),
        ("[default]\nlaek = 'x'\n", None, "'laek'"),
        ("[default]\nlake = 5\n", None, "table of strings"),
        ("default = 'lake.db'\n", None, "table of strings"),
    ],
)
def test_a_profile_that_cannot_be_used(
    environment: dict[str, str], text: str | None, profile: str | None, message: str
) -> None:
    if text is not None:
        write_profiles(environment, text)
    with pytest.raises(UnclearTarget, match=message):
        find_target(TargetOptions("lake.db"), profile, environment)


def test_profiles_are_in_the_home_folder_by_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert config_file({}) == tmp_path / ".config" / "forklake" / "config.toml"
