"""Resolves the lake and catalog of a command from options, the environment and a file of profiles."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

DEFAULT_CATALOG = "main"
DEFAULT_PROFILE = "default"


class UnclearTarget(Exception):
    """No lake was specified, or a profile cannot be used."""


@dataclass(frozen=True, slots=True)
class TargetOptions:
    """Target settings from one source; None for those not set."""

    lake: str | None = None
    catalog: str | None = None
    data_path: str | None = None
    metadata_schema: str | None = None

    def otherwise(self, other: "TargetOptions") -> "TargetOptions":
        """Fill in unset settings from another source."""
        pairs = ((getattr(self, field.name), getattr(other, field.name)) for field in fields(self))
        return TargetOptions(*(there if here is None else here for here, there in pairs))


@dataclass(frozen=True, slots=True)
class LakeTarget:
    lake: str
    catalog: str
    data_path: str | None
    metadata_schema: str | None


def find_target(given: TargetOptions, profile: str | None, environment: Mapping[str, str] = os.environ) -> LakeTarget:
    """Options take precedence over the environment, and the environment over the profile."""
    profile = profile or environment.get("FORKLAKE_PROFILE")
    said = given.otherwise(_from_environment(environment))
    said = said.otherwise(_from_profile(config_file(environment), profile))
    if said.lake is None:
        raise UnclearTarget("No lake is given; use --lake, or set FORKLAKE_LAKE.")
    return LakeTarget(said.lake, said.catalog or DEFAULT_CATALOG, said.data_path, said.metadata_schema)


def config_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Path of the file of profiles."""
    home = environment.get("XDG_CONFIG_HOME")
    return (Path(home) if home else Path.home() / ".config") / "forklake" / "config.toml"


def _from_environment(environment: Mapping[str, str]) -> TargetOptions:
    return TargetOptions(
        *(environment.get(f"FORKLAKE_{field.name.upper()}") or None for field in fields(TargetOptions))
    )


def _from_profile(file: Path, profile: str | None) -> TargetOptions:
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        if profile is not None:
            raise UnclearTarget(f"There is no profile '{profile}': {file} does not exist.") from None
        return TargetOptions()
    except OSError as error:
        raise UnclearTarget(f"{file} cannot be read: {error}.") from None
    try:
        profiles = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnclearTarget(f"{file} cannot be read: {error}.") from None
    if profile is not None and profile not in profiles:
        raise UnclearTarget(f"There is no profile '{profile}' in {file}.")
    return _check_profile(file, profiles.get(profile or DEFAULT_PROFILE, {}))


def _check_profile(file: Path, found: object) -> TargetOptions:
    known = {field.name for field in fields(TargetOptions)}
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise UnclearTarget(f'A profile in {file} must be a table of strings, such as lake = "lake.db".')
    if unknown := found.keys() - known:
        raise UnclearTarget(
            f"{file} contains the unknown key '{min(unknown)}'; the keys are {', '.join(sorted(known))}."
        )
    return TargetOptions(**found)
