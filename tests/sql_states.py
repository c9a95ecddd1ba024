"""The state of a session, made by hand, and short ways to ask its functions."""

from pathlib import Path
from typing import Any

import pyarrow as pa

from forklake.spark.session.provider import SparkProvider
from forklake.sql.functions.registry import call_function
from forklake.sql.session.attachments import AttachOptions, open_attachment
from forklake.sql.session.state import SessionState
from tests.conftest import Place


def open_state(place: Place, folder: Path, name: str = "lake", provider: SparkProvider | None = None) -> SessionState:
    """A session with the catalog `main` attached; the lake is created if there is none."""
    state = SessionState(provider or SparkProvider(), "spark")
    attach(state, place, folder, name)
    return state


def attach(state: SessionState, place: Place, folder: Path, name: str, **options: Any) -> None:
    """Attach a catalog under a name, `main` if no other is given."""
    given = {
        "catalog": "main",
        "data_path": str(folder / "data"),
        "metadata_schema": place.metadata_schema,
        "create_if_not_exists": True,
    }
    state.attachments.add(open_attachment(place.url, name, AttachOptions(**given | options)))


def call(state: SessionState, function: str, *arguments: object, **named: object) -> pa.Table:
    """The rows of a function, whose name may have dots."""
    rows = call_function(state, tuple(function.split(".")), arguments, named)
    assert isinstance(rows, pa.Table)
    return rows
