"""Error messages for tables that neither we nor Spark know, suggesting similar names of ours."""

import re
from collections.abc import Iterator

from pyspark.errors import AnalysisException

from forklake.catalog.transaction.names import find_schema, list_tables, list_views
from forklake.errors import InvalidInput, NoSuchTable
from forklake.model.names import did_you_mean
from forklake.sql.binding.names import Context, candidate_places, find_relation, read_transaction
from forklake.sql.session.state import SessionState

_MISSING = re.compile(
    r"\[TABLE_OR_VIEW_NOT_FOUND\] The table or view (.+?) cannot be found"
    r"|\[REQUIRES_SINGLE_PART_NAMESPACE\].* but got identifier (.+?)\.(?: SQLSTATE|\n|$)"
)
_PART = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")


def missing_table_name(error: AnalysisException) -> tuple[str, ...]:
    """The name of the missing table or view, if the error is about one."""
    found = _MISSING.search(str(error))
    if found is None:
        return ()
    return tuple(quoted.replace("``", "`") or plain for quoted, plain in _PART.findall(found[1] or found[2]))


def explain_missing_table(state: SessionState, context: Context, error: AnalysisException) -> Exception:
    """Translate an error about a missing table; return other errors unchanged."""
    name = missing_table_name(error)
    if not name:
        return error
    shown = ".".join(name)
    if find_relation(state, context, name) is not None:
        # Had we been able to parse the query, the name would have been replaced.
        return InvalidInput(
            f"Forklake cannot read this query, so Spark does not know the table '{shown}' in it. It has an expression"
            " or an operator that is not supported, such as UNION ALL TABLE t; write it in another way."
        )
    if len(name) == 3 and state.attachments.find(name[0]) is None:
        hint = did_you_mean(name[0], [attachment.name for attachment in state.attachments])
        return NoSuchTable(f"Table '{shown}' does not exist: no catalog is attached as '{name[0]}'.{hint}")
    return NoSuchTable(
        f"Table '{shown}' does not exist.{did_you_mean(name[-1], _known_relations(state, context, name))}"
    )


def _known_relations(state: SessionState, context: Context, name: tuple[str, ...]) -> Iterator[str]:
    """The tables and views in the places where the name was looked up."""
    for place in candidate_places(state, context, name):
        tx = read_transaction(state, context, place.attachment)
        if find_schema(tx, place.schema) is not None:
            yield from (table.name for table in list_tables(tx, place.schema))
            yield from (view.name for view in list_views(tx, place.schema))
