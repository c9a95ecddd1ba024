"""Wrong readings of SQL, each of a kind that was in the product once, planted where the product asks."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from decimal import Decimal
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from sqlglot import exp

from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.spark.verbs import driver_changes
from forklake.sql.parsing.plain_syntax import is_plain_condition, is_plain_select
from forklake.sql.parsing.table_references import Reference
from forklake.sql.pruning import comparison_rules
from forklake.sql.pruning import query_predicates as pruning
from forklake.sql.pruning import read_predicate as predicates
from forklake.sql.pruning.comparison_rules import DEFAULT_RULES
from forklake.sql.session.transactions import Transactions
from forklake.sql.small import answer
from forklake.sql.small.small_query import SortKey
from forklake.sql.values import constant_rows


@contextmanager
def _everywhere(really: Callable[..., object], instead: object) -> Iterator[None]:
    """Put a function in the place of another, also where it was imported by name."""
    name = really.__name__
    modules = [module for path, module in list(sys.modules.items()) if path.startswith("forklake.")]
    with ExitStack() as patches:
        for module in modules:
            if vars(module).get(name) is really:
                patches.enter_context(patch.object(module, name, instead))
        yield


@contextmanager
def argument_ignored() -> Iterator[None]:
    """NOT LIKE is read as LIKE: the argument that says so is not looked at."""
    really = predicates.predicate_from_tree

    def read(condition: exp.Expr, *given: Any) -> Any:
        plain = condition.copy()
        for like in plain.find_all(exp.Like):
            like.args.pop("negate", None)
        return really(plain, *given)

    with _everywhere(really, read):
        yield


@contextmanager
def alias_list_ignored() -> Iterator[None]:
    """The columns of `t AS z(a, b)` are taken for those of the table."""
    really = pruning.table_predicate

    def read(*given: Any) -> Any:
        [reference] = [each for each in given if isinstance(each, Reference)]
        alias = reference.node.args.get("alias")
        names = None if alias is None else alias.args.pop("columns", None)
        try:
            return really(*given)
        finally:
            if alias is not None and names is not None:
                alias.args["columns"] = names

    with _everywhere(really, read):
        yield


@contextmanager
def casts_rounded() -> Iterator[None]:
    """A cast of a number to an integer in VALUES is worked out by Python, which rounds where Spark cuts off."""
    really = constant_rows.constant_rows
    cast = re.compile(r"CAST\((-?\d+\.\d+) AS (?:TINYINT|SMALLINT|INT|BIGINT)\)")

    def read(text: str, *given: Any, **named: Any) -> Any:
        return really(cast.sub(lambda found: str(round(Decimal(found[1]))), text), *given, **named)

    with _everywhere(really, read):
        yield


@contextmanager
def zone_not_noticed() -> Iterator[None]:
    """Moments without a zone are taken for moments in UTC, whatever the session says."""
    with _everywhere(comparison_rules.session_rules, lambda holder: DEFAULT_RULES):
        yield


@contextmanager
def snapshot_for_each_table() -> Iterator[None]:
    """Without BEGIN, each table of a statement is read at the newest snapshot there is."""
    really = Transactions.current

    def current(self: Transactions, name: str, catalog: Catalog) -> Transaction:
        return really(self, name, catalog) if self.is_open else begin(catalog)

    with patch.object(Transactions, "current", current):
        yield


@contextmanager
def nulls_first_ignored() -> Iterator[None]:
    """The driver puts NULLs last in every order."""
    really = answer.sorted_positions

    def read(keys: tuple[SortKey, ...], *given: Any) -> Any:
        return really(tuple(replace(key, nulls_first=False) for key in keys), *given)

    with _everywhere(really, read):
        yield


@contextmanager
def syntax_unchecked() -> Iterator[None]:
    """Whatever sqlglot can parse is taken for valid in Spark."""
    with _everywhere(is_plain_select, lambda text: True), _everywhere(is_plain_condition, lambda text: True):
        yield


@contextmanager
def updates_not_recognised() -> Iterator[None]:
    """The driver takes the two rows of an update for a delete and an insert."""
    really = driver_changes.change_types

    def read(rows: pa.Table, is_deleted: np.ndarray) -> pa.Array:
        return pa.array(np.where(is_deleted, "delete", "insert"), pa.string())

    with _everywhere(really, read):
        yield


@contextmanager
def all_of_them() -> Iterator[None]:
    """Every wrong reading at once."""
    with ExitStack() as planted:
        for each in (argument_ignored, alias_list_ignored, casts_rounded, zone_not_noticed, snapshot_for_each_table):
            planted.enter_context(each())
        yield
