"""Staged objects and options of a transaction."""

from dataclasses import dataclass

from forklake.model.entities import Definition, LakeObject


@dataclass(frozen=True, slots=True)
class StagedObject:
    """An object created, changed or dropped by the transaction. `committed` is its previous version."""

    committed: LakeObject[Definition] | None
    now: LakeObject[Definition] | None
    tightened: bool = False


@dataclass(frozen=True, slots=True)
class StagedOption:
    """An option to be set, or unset if the value is None. `scope_id` is 0 for the whole catalog."""

    option_id: int
    scope: str
    scope_id: int
    key: str
    value: str | None
