"""DuckDB's SQL as sqlglot reads it."""

from typing import ClassVar

from sqlglot.dialects.duckdb import DuckDB

from forklake.sql.parsing.spark_dialect import NOT_WORDS


class DuckDBReadDialect(DuckDB):
    """DuckDB SQL, with the same keywords disabled."""

    class Tokenizer(DuckDB.Tokenizer):
        KEYWORDS: ClassVar = {word: kind for word, kind in DuckDB.Tokenizer.KEYWORDS.items() if word not in NOT_WORDS}


class DuckDBReadDialectWithoutDollars(DuckDBReadDialect):
    """The same for texts without dollar-quoted strings: sqlglot takes `$a+$` and `$a, ''` for the start of one."""

    class Tokenizer(DuckDBReadDialect.Tokenizer):
        HEREDOC_STRINGS: ClassVar = []
