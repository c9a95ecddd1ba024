"""Metadata that others have written, read and cleaned up as if nothing had happened."""

import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from forklake.catalog.lakes.catalogs import find_catalog
from forklake.catalog.lakes.open_lake import open_lake
from forklake.errors import ForklakeError
from trust.fuzz.damaged_lake import ATTACKER, World, build, copy_of, operations, session_on
from trust.fuzz.damages import damage
from trust.fuzz.guard import Escaped
from trust.fuzz.judging import SECONDS, Hung, SparkNeeded, place_of, time_limit

_ALWAYS = ("attach", "verify", "clean", "orphans")
_SKIPPED = 0.5
"""Of the other things to do, so many are left out each time: what they do to each other is not what is tried."""
_OWNERS = (ATTACKER, ATTACKER, "fork")


@dataclass(slots=True)
class RowsTally:
    """What came of damaged lakes."""

    damages: int = 0
    operations: int = 0
    errors: int = 0
    noticed: int = 0
    """Damages that a check of the catalogs found, or that made it impossible."""
    found: list[str] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)

    def add(self, where: str, told: str) -> None:
        if where not in self._seen:
            self._seen.add(where)
            self.found.append(told)


def fuzz_rows(seed: str, folder: Path, count: int, tally: RowsTally | None = None) -> RowsTally:
    """Damage copies of a lake on SQLite, one after the other, and do everything with each."""
    tally = RowsTally() if tally is None else tally
    world = build(folder / "whole", f"sqlite:{folder / 'whole' / 'lake.db'}")
    for number in range(count):
        rng = random.Random(f"{seed}/rows/{number}")
        copied = copy_of(world, folder / f"damaged_{number}")
        before = len(tally.found)
        try_damaged(rng, copied, tally, f"seed {seed}, damage {number}")
        if len(tally.found) == before:
            shutil.rmtree(copied.folder)
    return tally


def try_damaged(rng: random.Random, world: World, tally: RowsTally, told: str) -> None:
    """Damage a lake a little, use it in every way, and look whether anything is gone that must not be."""
    lake = open_lake(world.url, metadata_schema=world.schema)
    try:
        owner = find_catalog(lake, rng.choice(_OWNERS)).catalog_id
        done = [damage(rng, lake, owner) for _ in range(rng.choice((1, 1, 1, 2, 4)))]
        damages = [each for each in done if each is not None]
        if not damages:
            return
        tally.damages += 1
        told = f"{told} ({'; '.join(map(str, damages))[:600]})"
        precious, noticed = world.precious(), False
        with session_on(world) as session:
            for name, operation in operations(world, lake, session).items():
                if not name.startswith(_ALWAYS) and rng.random() < _SKIPPED:
                    continue
                answer = _try(operation, tally, name, told)
                noticed |= name.startswith("verify") and _is_wrong(answer)
        tally.noticed += noticed
        gone = [path for path, held in precious.items() if not Path(path).exists() or Path(path).read_bytes() != held]
        outside = [path for path in gone if "/outside/" in path]
        if outside or (gone and not any(each.crosses for each in damages)):
            tally.add(f"gone {damages[0].sql[:40]}", f"{told}: files of others are gone: {outside or gone}")
    finally:
        lake.close()


def _is_wrong(answer: object) -> bool:
    """Whether a check has failed, or has found more than the orphan that is there anyway."""
    if isinstance(answer, list):
        return any(finding.problem != "unknown_file" for finding in answer)
    return answer is not None


def _try(operation: Callable[[], object], tally: RowsTally, name: str, told: str) -> object:
    tally.operations += 1
    try:
        with time_limit(SECONDS):
            return operation()
    except ForklakeError as error:
        tally.errors += 1
        return error
    except SparkNeeded:
        return None
    except Hung:
        tally.add(f"hung {name}", f"{told}: {name} does not end")
    except (Exception, Escaped) as error:
        tally.add(
            place_of(error), f"{told}: {name} gives {type(error).__name__}: {str(error)[:200]} ({place_of(error)})"
        )
    return None
