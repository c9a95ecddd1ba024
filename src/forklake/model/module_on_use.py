"""Modules that are imported when something of them is first used.

For what is slow to import and often not needed, such as PySpark. The import is written twice, so that types and the
contracts between layers are checked as ever:

    if TYPE_CHECKING:
        from pyspark.sql import functions as F
    else:
        F = module_on_use("pyspark.sql.functions")
"""

from importlib import import_module
from types import ModuleType
from typing import Any


class _ModuleOnUse(ModuleType):
    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.__name__), name)


def module_on_use(name: str) -> Any:
    """Stands for a module, and imports it at the first use of one of its names."""
    return _ModuleOnUse(name)
