"""Objects and options as a transaction is about to leave them."""

from dataclasses import dataclass

from forklake.model.entities import Definition, LakeObject


@dataclass(frozen=True, slots=True)
class StagedObject:
    """An object this transaction created, changed or dropped. `committed` is what was there before it."""

    committed: LakeObject[Definition] | None
    now: LakeObject[Definition] | None
    tightened: bool = False


@dataclass(frozen=True, slots=True)
class StagedOption:
    """An option to be set, or with no value to be unset. `scope_id` is 0 for the whole catalog."""

    option_id: int
    scope: str
    scope_id: int
    key: str
    value: str | None
