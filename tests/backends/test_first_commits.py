"""The first commit of a process keeps a catalog locked no longer than any other."""

import subprocess
import sys

from forklake.catalog.lakes.catalogs import create_catalog
from forklake.catalog.lakes.open_lake import open_lake
from tests.conftest import Place
from tests.lakes import make_table

FIRST_COMMIT = """
import sys
from forklake.catalog.lakes.catalogs import find_catalog
from forklake.catalog.lakes.open_lake import open_lake
from forklake.store.postgres import PostgresTransaction
from tests.lakes import append

really = PostgresTransaction.commit

def commit(self, steps):
    before = set(sys.modules)
    really(self, steps)
    # What a commit starts by itself needs no import that others could feel.
    print("loaded:", len({name.split(".")[0] for name in set(sys.modules) - before} & {"forklake", "sqlalchemy"}))

PostgresTransaction.commit = commit
for module in [name for name in sys.modules if name.startswith(("sqlalchemy", "forklake.store.ddl"))]:
    del sys.modules[module]
append(find_catalog(open_lake(sys.argv[1], metadata_schema=sys.argv[2]), "main"))
"""


def test_nothing_is_imported_while_others_wait_for_the_catalog(postgres_place: Place) -> None:
    lake = open_lake(postgres_place.url, metadata_schema=postgres_place.metadata_schema, create=True)
    make_table(create_catalog(lake, "main"))
    lake.close()
    command = [sys.executable, "-c", FIRST_COMMIT, postgres_place.url, str(postgres_place.metadata_schema)]
    assert subprocess.check_output(command, text=True).splitlines()[-1] == "loaded: 0"
