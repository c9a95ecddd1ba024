"""Statements that follow the grammar, with values in them that nobody expects."""

import random
import re
from collections.abc import Mapping, Sequence

from forklake.model.options import OPTIONS
from forklake.sql.functions.registry import FUNCTIONS
from forklake.sql.parsing.cursor import quoted_name
from trust.fuzz.hostile import any_name, any_text

_RULES: Mapping[str, Sequence[str]] = {
    "statement": (
        "<create_table>", "<create_table>", "<alter>", "<alter>", "<alter>", "<insert>", "<insert>", "<insert>",
        "<drop>", "<view>", "<macro>", "<comment>", "<schema>", "<call>", "<call>", "<call>", "<fork>", "<attach>",
        "<session>", "<session>", "<transaction>", "<show>", "<show>", "<secret>", "<set>", "<change>", "<query>",
        "<query>", "<several>",
    ),
    "several": ("<statement>; <statement>", "BEGIN; <create_table>; <insert>; <ending>", ";; <statement>;"),
    "create_table": (
        "CREATE<or_replace> TABLE<if_not> <table> (<columns>)<clauses>",
        "CREATE<or_replace> TABLE<if_not> <table> (<columns>)<clauses>",
        "CREATE<or_replace> TABLE<if_not> <table> AS <constant_rows>",
        "CREATE<or_replace> TABLE<if_not> <table>",
    ),
    "or_replace": ("", "", " OR REPLACE"),
    "if_not": ("", "", " IF NOT EXISTS"),
    "if": ("", "", " IF EXISTS"),
    "columns": ("<column>", "<column>, <column>", "<column>, <column>, <columns>"),
    "column": ("<name> <type>", "<name> <type>", "<name> <type> <extra>"),
    "extra": ("NOT NULL", "NULL", "DEFAULT <value>", "COMMENT <string>", "PRIMARY KEY", "<extra> <extra>"),
    "type": (
        "INTEGER", "BIGINT", "VARCHAR", "STRING", "DOUBLE", "FLOAT", "BOOLEAN", "DATE", "TIMESTAMP", "TIMESTAMPTZ",
        "BLOB", "UUID", "JSON", "TIME", "INTERVAL", "VARIANT", "GEOMETRY", "UBIGINT", "HUGEINT", "TIMESTAMP_NS",
        "DECIMAL(<number>, <number>)", "DECIMAL(10,2)", "<type>[]", "ARRAY<<type>>", "MAP<<type>, <type>>",
        "MAP(<type>, <type>)", "STRUCT(<name> <type>, <name> <type>)", "STRUCT<<name>: <type>>", "VARCHAR(<number>)",
        "ENUM('a')", "<name>", "<deep_type>",
    ),
    "clauses": (
        "", "", " PARTITIONED BY (<keys>)", " SORTED BY (<sort>)", " COMMENT <string>", " USING <word>",
        " PARTITIONED BY (<keys>) SORTED BY (<sort>)",
    ),
    "keys": ("<name>", "<name>, <name>", "bucket(<number>, <name>)", "<transform>(<name>)"),
    "transform": ("year", "month", "day", "hour", "identity", "truncate", "<word>"),
    "sort": ("<name>", "<name> DESC NULLS LAST", "<expression> ASC", "<name>, <sort>"),
    "alter": (
        "ALTER TABLE<if> <table> <alteration>", "ALTER TABLE<if> <table> <alteration>, <alteration>",
        "ALTER VIEW<if> <table> RENAME TO <name>",
    ),
    "alteration": (
        "ADD COLUMN<if_not> <path> <type>", "ADD <column>", "ADD COLUMNS (<columns>)", "DROP COLUMN<if> <path>",
        "DROP COLUMNS (<path>, <path>)", "RENAME TO <name>", "RENAME COLUMN <path> TO <name>",
        "SET PARTITIONED BY (<keys>)", "RESET PARTITIONED BY", "SET SORTED BY (<sort>)", "RESET SORTED BY",
        "ALTER COLUMN <path> SET DATA TYPE <type>", "ALTER <path> TYPE <type>", "ALTER <path> SET DEFAULT <value>",
        "ALTER <path> DROP DEFAULT", "ALTER <path> SET NOT NULL", "ALTER <path> DROP NOT NULL", "ALTER <path> FIRST",
        "CHANGE COLUMN <path> AFTER <name>", "ADD COLUMN <path> <type> DEFAULT <value>",
    ),
    "path": ("<name>", "<name>", "<name>.<name>", "<name>.element", "<name>.value.<name>"),
    "insert": (
        "INSERT INTO <table> <constant_rows>", "INSERT INTO <table> <constant_rows>",
        "INSERT INTO <table> (<names>) <constant_rows>", "INSERT INTO <table> BY NAME <query>",
        "INSERT OVERWRITE <table> <constant_rows>", "INSERT INTO <table> DEFAULT VALUES",
        "INSERT INTO <table> <query>", "INSERT INTO <table> <constant_rows> ON CONFLICT DO NOTHING",
    ),
    "constant_rows": (
        "VALUES (<value>)", "VALUES (<value>, <value>)", "VALUES (<value>), (<value>)", "VALUES (1, 'a'), (2, NULL)",
        "SELECT <value>", "SELECT <value>, <value> AS <name>", "VALUES (1)", "VALUES ()",
    ),
    "names": ("<name>", "<name>, <names>"),
    "drop": (
        "DROP TABLE<if> <table>", "DROP VIEW<if> <table>", "DROP SCHEMA<if> <name>", "DROP SCHEMA <name> CASCADE",
        "DROP MACRO<if> <table>", "DROP MACRO TABLE <table>", "DROP CATALOG<if> <catalog>", "DROP SECRET<if> <name>",
    ),
    "view": (
        "CREATE<or_replace> VIEW<if_not> <table> AS <query>",
        "CREATE VIEW <table> (<names>) COMMENT <string> AS <query>",
    ),
    "macro": (
        "CREATE<or_replace> MACRO <table>(<word>) AS <expression>", "CREATE MACRO <table>() AS TABLE <query>",
        "CREATE FUNCTION <table>(<word>, <word> := <value>) AS <expression>, (<word>) AS <expression>",
    ),
    "comment": (
        "COMMENT ON TABLE <table> IS <string>", "COMMENT ON COLUMN <table>.<name> IS <string>",
        "COMMENT ON VIEW <table> IS NULL", "COMMENT ON SCHEMA <name> IS <string>",
        "COMMENT ON MACRO <table> IS <string>",
    ),
    "schema": ("CREATE SCHEMA<if_not> <name>", "CREATE DATABASE<if_not> <alias>.<name>"),
    "call": (
        "CALL ducklake_<function>(<alias_string>, <arguments>)", "CALL ducklake_<function>(<alias_string>)",
        "CALL <alias>.<function>(<arguments>)", "CALL <function>(<arguments>)",
        "CALL <alias>.set_option(<option>, <value>)", "CALL <alias>.set_option(<option>, <value>, <string>, <string>)",
        "SELECT * FROM <alias>.<function>(<arguments>)",
        "SELECT * FROM ducklake_<function>(<alias_string>, <arguments>)",
        "CALL <alias>.expire_snapshots(versions => [<number>, <number>])",
        "CALL <alias>.add_data_files(<table_string>, <string>)", "CHECKPOINT <alias>", "CHECKPOINT",
    ),
    "arguments": ("", "<value>", "<value>, <value>", "<value>, <argument> => <value>", "<argument> => <value>"),
    "argument": (
        "version", "timestamp", "dry_run", "older_than", "versions", "schema", "table_name", "cleanup_all", "new_name",
        "deep", "if_not_exists", "max_compacted_files", "<name>",
    ),
    "fork": ("FORK CATALOG <catalog> AS<if_not> <catalog><at>",),
    "at": (
        "", "", " AT (VERSION => <value>)", " AT (TIMESTAMP => <value>)", " VERSION AS OF <value>",
        " AT SNAPSHOT <number>", " FOR SYSTEM_TIME AS OF <value>", " TIMESTAMP AS OF <value>",
    ),
    "attach": (
        "ATTACH <target> AS <alias> (CATALOG <string>)", "ATTACH <target> AS <alias> (CATALOG 'main'<attach_options>)",
        "ATTACH IF NOT EXISTS <target> AS <alias> (CATALOG 'main', CREATE_IF_NOT_EXISTS true)",
        "ATTACH <target> (<word> <value>)", "DETACH<if> <alias>", "DETACH<if> <alias>",
    ),
    "attach_options": (
        "", ", READ_ONLY", ", SNAPSHOT_VERSION <value>", ", SNAPSHOT_TIME <value>", ", DATA_PATH <string>",
        ", METADATA_SCHEMA <string>", ", DATA_INLINING_ROW_LIMIT <value>", ", OVERRIDE_DATA_PATH <value>",
        ", MIGRATE_IF_REQUIRED <value>", ", METADATA_CATALOG <string>", "<attach_options><attach_options>",
    ),
    "session": ("USE <alias>", "USE <alias>.<name>", "USE <name>", "USE <alias>.main", "INSTALL ducklake", "LOAD x"),
    "transaction": ("BEGIN", "START TRANSACTION", "COMMIT", "COMMIT", "ROLLBACK", "ROLLBACK", "END", "ABORT"),
    "ending": ("COMMIT", "ROLLBACK"),
    "show": (
        "SHOW TABLES", "SHOW TABLES FROM <alias>.main", "SHOW SCHEMAS", "SHOW DATABASES", "SHOW CATALOGS",
        "SHOW <word>", "DESCRIBE <table>", "DESC <table>", "SHOW <table>", "SHOW VIEWS", "SHOW ALL TABLES",
        "SELECT * FROM __ducklake_metadata_lake.<metadata>", "SELECT count(*) FROM <alias>.snapshots()",
    ),
    "metadata": (
        "ducklake_table", "ducklake_column", "ducklake_snapshot", "ducklake_data_file", "ducklake_tag",
        "ducklake_schema", "ducklake_view", "ducklake_macro", "ducklake_metadata", "<word>",
    ),
    "secret": (
        "CREATE<or_replace> SECRET <name> (TYPE ducklake, METADATA_PATH <string>)", "CREATE SECRET (TYPE <word>)",
        "CREATE PERSISTENT SECRET <name> (TYPE ducklake, METADATA_PATH <value>, <word> <value>)",
        "DROP SECRET<if> <name>",
    ),
    "set": (
        "SET ducklake_max_retry_count = <value>", "SET ducklake_retry_wait_ms = <value>",
        "RESET ducklake_retry_backoff",
        "SET ducklake_retry_backoff TO <value>", "SET <word> = <value>", "RESET <word>",
    ),
    "change": (
        "UPDATE <table> SET <name> = <expression> WHERE <expression>", "DELETE FROM <table> WHERE <expression>",
        "DELETE FROM <table>", "TRUNCATE TABLE <table>", "UPDATE <table> AS <word> SET <names> = <value>",
        "MERGE INTO <table> USING <table> AS s ON <expression> WHEN MATCHED THEN DELETE",
        "MERGE INTO <table> USING (<query>) AS s ON <expression> WHEN NOT MATCHED THEN INSERT VALUES (<value>)",
        "COPY <table> TO <string>", "COPY (<query>) TO <string> (FORMAT parquet)", "COPY <table> FROM <string>",
    ),
    "query": (
        "SELECT * FROM <table>", "SELECT <expression> FROM <table><at> WHERE <expression>", "FROM <table>",
        "SELECT count(*), min(<name>), max(<name>) FROM <table>", "WITH <word> AS (<query>) SELECT * FROM <word>",
        "SELECT <expression> FROM <table> AS <word>, (<query>) AS q", "EXPLAIN <query>", "SUMMARIZE <table>",
        "SELECT <expression>", "(<query>) UNION ALL (<query>)", "DESCRIBE SELECT <expression>", "<deep_query>",
        "SELECT * FROM <table> AT (VERSION => <value>)",
    ),
    "expression": (
        "<name>", "<value>", "<name> = <value>", "<expression> AND <expression>",
        "<expression> <operator> <expression>",
        "<word>(<expression>)", "CASE WHEN <expression> THEN <value> END", "CAST(<expression> AS <type>)",
        "<name> IN (<value>, <value>)", "<name> BETWEEN <value> AND <value>", "<name> LIKE <string>", "(<expression>)",
        "NOT <expression>", "<expression>::<type>", "<deep_expression>", "EXISTS (<query>)", "<name>[<value>]",
    ),
    "operator": ("+", "-", "*", "/", "%", "||", "<", ">=", "<>", "IS", "<=>", "->", "&", "OR", "//", "**", "~"),
    "value": (
        "<number>", "<number>", "<string>", "<string>", "NULL", "true", "-<number>", "<number>.<number>", "1e<number>",
        "DATE <string>", "TIMESTAMP '2026-01-01 00:00:00'", "DATE '2026-13-45'", "TIMESTAMP <string>",
        "INTERVAL <string>", "INTERVAL <number> DAY", "INTERVAL '1' <word>", "now() - INTERVAL '<number> days'",
        "[<value>, <value>]", "(<value>, <value>)", "CAST(<value> AS <type>)", "<value> + <value>", "-<value>",
        "now() + <value>", "X'<number>'", ":name", "?", "<word>", "'a' || 'b'", "{'a': <value>}", "<deep_expression>",
        "current_timestamp", "<value> - <value>", "array(<value>)", "map('a', <value>)", "uuid()", "'NaN'", "-0.0",
    ),
    "number": (
        "0", "1", "2", "3", "7", "38", "39", "100", "<version>", "2147483648", "9223372036854775807",
        "9223372036854775808", "18446744073709551616", "1" + "0" * 40, "9" * 400, "00", "1_000", "1e5",
    ),
    "word": ("s", "x", "y", "abc", "select", "from", "end", "time", "zstd", "sum", "list", "upper", "values", "type"),
}  # fmt: skip
_MARK = re.compile(r"<(\w+)>")
_DEPTH = 12
_DEEP = (2, 3, 5, 8, 12, 20, 30, 40, 60, 80, 150, 400)
_DEEPEST = 3_000


class Grammar:
    """Makes statements in a dialect. Names are mostly those of things there are, so that much of it works."""

    def __init__(self, rng: random.Random, dialect: str, aliases: Sequence[str], targets: Sequence[str]) -> None:
        self._rng = rng
        self._dialect = dialect
        self._aliases = aliases
        self._targets = targets

    def statement(self) -> str:
        return self._made("statement", 0)

    def query(self) -> str:
        return self._made("query", 0)

    def _made(self, rule: str, depth: int) -> str:
        special = getattr(self, f"_{rule}", None)
        if special is not None:
            return str(special())
        choices = _RULES[rule]
        if depth > _DEPTH:
            # What leads nowhere deeper ends it.
            choices = [choice for choice in choices if "<" not in choice] or [min(choices, key=len)]
        text = self._rng.choice(choices)
        return _MARK.sub(lambda found: self._made(found[1], depth + 1), text)

    def _name(self) -> str:
        chance = self._rng.random()
        if chance < 0.85:
            return self._rng.choice(("id", "id", "v", "w", "t", "u", "main", "n"))
        return self.quoted(any_name(self._rng))

    def _table(self) -> str:
        owner = self._rng.choice(("", "", "", "main.", "lake.main.", f"{self._alias()}.", f"{self._name()}."))
        return owner + (self._rng.choice(("t", "t", "u", "v", "w")) if self._rng.random() < 0.9 else self._name())

    def _table_string(self) -> str:
        return self.string(self._rng.choice(("t", "u", "main.t", any_name(self._rng))))

    def _alias(self) -> str:
        return self._rng.choice(self._aliases)

    def _alias_string(self) -> str:
        return self.string(self._alias())

    def _catalog(self) -> str:
        return self._rng.choice(("main", "fork_a", "fork_b", "fork_c", self._alias(), self.string(any_name(self._rng))))

    def _target(self) -> str:
        return self.string(self._rng.choice(self._targets) if self._rng.random() < 0.8 else any_name(self._rng))

    def _function(self) -> str:
        return self._rng.choice(list(FUNCTIONS))

    def _option(self) -> str:
        return self.string(self._rng.choice([*OPTIONS, "no_such"]))

    def _version(self) -> str:
        return str(self._rng.randint(0, 2000))

    def _string(self) -> str:
        chance = self._rng.random()
        if chance < 0.4:
            return self.string(self._rng.choice(("a", "b", "t", "1 day", "2026-01-01", "true", "10", "data", "main")))
        return self.string(any_name(self._rng) if chance < 0.8 else any_text(self._rng))

    def _deep(self) -> int:
        return _DEEPEST if self._rng.random() < 0.03 else self._rng.choice(_DEEP)

    def _deep_expression(self) -> str:
        deep = self._deep()
        before, after = self._rng.choice((("(", ")"), ("NOT ", ""), ("[", "]"), ("-", ""), ("abs(", ")"), ("1 + ", "")))
        return before * deep + "1" + after * deep

    def _deep_query(self) -> str:
        deep = self._deep()
        before, after = self._rng.choice((("SELECT * FROM (", ") AS q"), ("(", ")"), ("SELECT (", ")")))
        return before * deep + "SELECT 1" + after * deep

    def _deep_type(self) -> str:
        deep = self._deep()
        before, after = self._rng.choice((("", "[]"), ("ARRAY<", ">"), ("STRUCT(a ", ")"), ("MAP(INTEGER, ", ")")))
        return before * deep + "INTEGER" + after * deep

    def quoted(self, name: str) -> str:
        return quoted_name(name, self._dialect)

    def string(self, value: str) -> str:
        """A string literal as the manuals of the dialects say, most of the time."""
        if self._dialect == "spark" and self._rng.random() < 0.9:
            value = value.replace("\\", "\\\\")
        return "'" + value.replace("'", "''") + "'"
