"""The grammar of DuckDB's expressions, in the form of `spark_rules`.

Upper and lower case are left out: Java and DuckDB know other rules for letters such as ß.
"""

from collections.abc import Mapping, Sequence

WORDS: Mapping[str, Sequence[str]] = {
    "cmp": ("=", "=", "<>", "!=", "<", "<=", ">", ">=", "=="),
    "not": ("", "", "NOT "),
    "like_pattern": (
        "'a%'", "'b%'", "'A%'", "'ab%'", "'%a'", "'%'", "''", "'a_c'", "'a common prefix%'", "'zo%'", "'_%'", "'🦆%'",
        "'a%b'", "'2024%'", "NULL", "' %'", "'it''s'", "'a\\%'", "'\\%'",
    ),
    "valid_date": ("'2024-01-01'", "'1969-12-31'", "'2020-03-29'", "'1582-10-04'", "'2024-02-29'"),
    "time_text": ("'2024-01-01'", "'2024-01-01 00:00:00'", "'1969-12-31 23:59:59'", "'2024-01-01 12:30:00'",
    "'2024-01-01T00:00:00'"),
    "number_text": ("'1'", "' 5 '", "'-1'", "'+7'", "'1.5'", "'2.5'", "'abc'", "''", "'1e1'", "'99999999999999999999'",
    "'0x10'", "'1_000'", "'42L'", "'.5'", "'5.'", "'1.235'", "'inf'", "'1.5d'"),
    "bool_text": ("'true'", "'FALSE'", "'t'", "'no'", "'1'", "'maybe'", "' true '", "'on'"),
    "odd_time_text": ("'2024-1-1'", "'2024'", "'2024-06'", "' 2024-01-01 '", "'2024-02-30'", "'epoch'", "'abc'", "''",
    "'2024/01/01'", "'2024-01-01 10'", "'2024-01-01 10:00'", "'2024-01-01 1:2:3'", "'2024-01-01 00:00:00Z'", "'now'",
    "'2023-12-31 23:59:59.9999999'", "'12024-01-01'", "'0000-01-01'", "'2024-01-01 24:00:00'"),
    "dbl_type": ("DOUBLE", "FLOAT"),
    "cast": ("CAST", "TRY_CAST", "TRY_CAST"),
    "int_type": ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "INT"),
    "dec_type": ("DECIMAL(5,2)", "DECIMAL(10,0)", "DECIMAL(20,5)"),
    "interval": ("INTERVAL 1 DAY", "INTERVAL '1' MONTH", "INTERVAL 3 HOURS", "INTERVAL '2 years'"),
}  # fmt: skip

_COMPARED: Sequence[str] = (
    "<{f}> <cmp> <{f}>", "<c.{f}> <cmp> <v.{f}>", "<c.{f}> <cmp> <v.{f}>", "<v.{f}> <cmp> <c.{f}>",
    "<c.{f}> <not>BETWEEN <v.{f}> AND <v.{f}>", "<c.{f}> IS <not>NULL", "<c.{f}> <not>IN (<v.{f}>)",
    "<c.{f}> <not>IN (<v.{f}>, <v.{f}>, <v.{f}>)", "<c.{f}> <not>IN (<v.{f}>, NULL)",
    "<c.{f}> IS <not>DISTINCT FROM <v.{f}>",
    "<{f}> IS <not>DISTINCT FROM <{f}>", "<c.{f}> <cmp> <c.{f}>", "COALESCE(<c.{f}>, <v.{f}>) <cmp> <v.{f}>",
    "NULLIF(<c.{f}>, <v.{f}>) IS <not>NULL", "<c.{f}> ISNULL", "<c.{f}> NOTNULL",
)  # fmt: skip


def _comparisons(families: str) -> tuple[str, ...]:
    return tuple(template.format(f=family) for family in families.split() for template in _COMPARED)


RULES: Mapping[str, Sequence[str]] = {
    "bool": (
        *("<bool> AND <bool>", "<bool> OR <bool>", "NOT (<bool>)", "NOT <bool_atom>", "(<bool>)") * 14,
        *("<bool_atom>",) * 100,
        "NOT NOT (<bool>)", "(<bool>) IS <not>TRUE", "(<bool>) IS <not>FALSE", "(<bool>) IS NULL",
        "(<bool>) = (<bool>)",
        "CASE WHEN <bool> THEN <bool> ELSE <bool> END", "CASE WHEN <bool> THEN <bool> END", "COALESCE(<bool>, <bool>)",
        "CASE <c.int> WHEN <v.int> THEN <bool> ELSE <bool> END", "<c.bool>", "NOT <c.bool>", "<c.bool> IS <not>TRUE",
        "true", "NULL",
    ),
    "bool_atom": (
        *_comparisons("int int dec dbl text text date date ntz ts"),
        *("<c.text> <not>LIKE <like_pattern>",) * 20,
        *("NOT <c.text> LIKE <like_pattern>", "NOT (<c.text> NOT LIKE <like_pattern>)",
        "<c.text> <not>ILIKE <like_pattern>") * 4,
        "<c.text> <not>LIKE 'a!%' ESCAPE '!'", "<c.text> <not>LIKE '100/%%' ESCAPE '/'",
        "<c.text> <not>SIMILAR TO 'a.*'",
        "starts_with(<c.text>, <v.text>)", "contains(<c.text>, <v.text>)", "<c.text> ~~ 'a%'", "<c.text> !~~ 'a%'",
        "<c.text> ^@ 'a'",
        "regexp_matches(<c.text>, '^a')", "suffix(<c.text>, 'a')", "prefix(<c.text>, <v.text>)",
        "<c.date> <cmp> <valid_date>", "<c.ntz> <cmp> <valid_date>", "<c.ts> <cmp> <valid_date>",
        "<c.ntz> <cmp> <time_text>",
        "<c.date> <not>IN (<valid_date>)", "<c.ntz> <cmp> <v.date>", "<c.date> <cmp> <v.ntz>",
        "<c.date> <cmp> <valid_date>::DATE",
        "<c.ntz> <cmp> CAST(<time_text> AS TIMESTAMP)", "<c.date> BETWEEN <valid_date> AND <valid_date>",
        "<c.int> <cmp> '1'", "<c.int> <cmp> <number_text>", "<c.dec> <cmp> <number_text>",
        "<c.dbl> <cmp> <number_text>",
        "<c.bool> = <bool_text>", "<c.date> <cmp> <odd_time_text>", "<c.ntz> <cmp> <odd_time_text>",
        "<c.int> <not>IN (<number_text>, '1')", "<cast>(<bool_text> AS BOOLEAN)", "TRY_CAST(<text> AS BOOLEAN)",
        "<c.dbl> <cmp> <c.dec>", "<c.dbl> <cmp> <v.dec>", "<c.dbl> <not>IN (0.1, 1.5)",
        "<c.dbl> BETWEEN 0.1 AND <v.dec>",
        "<c.int> <cmp> <v.dec>", "<c.int> <cmp> <v.dbl>", "<c.dec> <cmp> <v.int>", "<c.dbl> <cmp> <v.int>",
        "<c.dec> <cmp> 1.235",
        "<c.int> <cmp> 1.5", "<c.int> <not>IN (1, 2.5, 3)", "<c.int> <not>BETWEEN 0.5 AND 7.5", "<c.dbl> <cmp> 0.1",
        "isnan(<c.dbl>)",
        "<c.int> <cmp> <c.dec>", "<c.dbl> <cmp> <c.int>", "<c.struct>.a <cmp> <v.int>", "<c.struct>.b <not>LIKE 'a%'",
        "<c.struct>['a'] = 1", "<c.struct>.d <cmp> <v.date>", "list_contains(<c.list>, 1)",
        "<c.list>[1] <cmp> <v.int>", "len(<c.list>) <cmp> 1",
        "<c.list> IS <not>NULL", "1 IN (1, NULL)", "<c.bool> = true",
    ),
    "int": (
        *("<c.int>", "<v.int>") * 8,
        "<c.struct>.a", "(<c.int> % 3)", "abs(<c.int>)", "length(<text>)", "<c.dec>::INT",
        "CAST(<c.dec> AS <int_type>)", "(<c.int> // 2)",
        "CASE WHEN <bool> THEN <int> ELSE <int> END", "COALESCE(<int>, <int>)", "nullif(<int>, <int>)",
        "greatest(<int>, <int>)",
        "year(<date>)", "month(<date>)", "day(<date>)", "hour(<ntz>)", "date_part('year', <date>)",
        "extract(month FROM <date>)", "1.7::INT",
        "(<c.int> + 1)", "(<c.int> - 1)", "CAST(<c.int> AS BIGINT)", "len(<c.list>)", "position('b' IN <text>)",
        "sign(<c.int>)", "2.5::INT",
        "TRY_CAST(<text> AS <int_type>)", "dayofweek(<date>)", "quarter(<date>)", "<cast>(<number_text> AS <int_type>)",
        "CAST(CAST(<c.int> AS VARCHAR) AS BIGINT)", "COALESCE(<c.int>, <number_text>)",
    ),
    "dec": (
        *("<c.dec>", "<v.dec>") * 6,
        "(<c.dec> + 1)", "CAST(<c.int> AS DECIMAL(12,2))", "abs(<c.dec>)", "-<c.dec>", "round(<c.dec>, 1)",
        "COALESCE(<dec>, <dec>)", "<cast>(<number_text> AS <dec_type>)", "TRY_CAST(<text> AS <dec_type>)",
        "CAST(CAST(<c.dec> AS VARCHAR) AS <dec_type>)",
        "CASE WHEN <bool> THEN <dec> ELSE <dec> END",
    ),
    "dbl": (
        *("<c.dbl>", "<v.dbl>") * 6,
        "<c.struct>.e", "-<c.dbl>", "abs(<c.dbl>)", "(<c.int> / 2)", "CAST(<c.int> AS DOUBLE)",
        "COALESCE(<dbl>, <dbl>)", "(<dbl> * 2)", "<cast>(<number_text> AS <dbl_type>)",
        "TRY_CAST(<text> AS <dbl_type>)", "(<c.dbl> + 0.1)", "(<c.dbl> / 3)", "(<c.dbl> * 1.1)",
    ),
    "text": (
        *("<c.text>", "<v.text>") * 8,
        "<c.struct>.b", "trim(<text>)", "ltrim(<text>)", "substr(<text>, 1, 2)",
        "left(<text>, 1)",
        "right(<text>, 2)", "concat(<text>, <text>)", "(<text> || <text>)", "replace(<text>, 'a', 'b')",
        "reverse(<text>)",
        "CAST(<int> AS VARCHAR)", "CAST(<date> AS VARCHAR)", "CAST(<bool> AS VARCHAR)", "COALESCE(<text>, <text>)",
        "<text>[1]",
        "CASE WHEN <bool> THEN <text> ELSE <text> END", "nullif(<text>, <text>)", "repeat(<text>, 2)",
        "strftime(<date>, '%Y-%m')",
        "<text>[1:2]", "lpad(<text>, 4, 'x')", "ifnull(<text>, 'x')", "CAST(<c.dbl> AS VARCHAR)", "<v.dbl>::VARCHAR",
        "CAST(<dec> AS VARCHAR)", "CAST(<ntz> AS VARCHAR)", "CAST(<c.ts> AS VARCHAR)", "(<c.dec> || <text>)",
        "(<c.int> || '-' || <c.date>)", "concat(<int>, <c.ntz>, <bool>)", "concat_ws('/', <c.dec>, <c.date>)",
        "CAST(<c.list> AS VARCHAR)", "array_to_string(<c.list>, ',')", "format('{} {}', <c.int>, <c.date>)",
        "printf('%s %d', <c.date>, <c.int>)",
    ),
    "date": (
        *("<c.date>", "<v.date>") * 6,
        "<c.struct>.d", "CAST(<valid_date> AS DATE)", "CAST(<ntz> AS DATE)", "<valid_date>::DATE",
        "last_day(<c.date>)", "COALESCE(<date>, <date>)",
        "<cast>(<odd_time_text> AS DATE)", "TRY_CAST(<text> AS DATE)", "CAST(CAST(<c.date> AS VARCHAR) AS DATE)",
        "make_date(2024, 1, 1)", "(<v.date> + 1)", "greatest(<date>, <date>)", "date_trunc('month', <c.date>)::DATE",
        "CASE WHEN <bool> THEN <date> ELSE <date> END",
    ),
    "ntz": (
        *("<c.ntz>", "<v.ntz>") * 6,
        "CAST(<time_text> AS TIMESTAMP)", "CAST(<date> AS TIMESTAMP)", "<cast>(<odd_time_text> AS TIMESTAMP)",
        "TRY_CAST(<text> AS TIMESTAMP)", "CAST(CAST(<c.ntz> AS VARCHAR) AS TIMESTAMP)",
        "(TIMESTAMP '2024-01-01 00:00:00' + <interval>)", "COALESCE(<ntz>, <ntz>)",
        "date_trunc('hour', <c.ntz>)", "CASE WHEN <bool> THEN <ntz> ELSE <ntz> END",
    ),
    "ts": (*("<c.ts>", "<v.ts>") * 4, "COALESCE(<ts>, <ts>)", "TIMESTAMPTZ '2024-01-01 00:00:00+05:00'"),
}  # fmt: skip
