"""DuckDB's spelling of operators, types and functions, and its keywords, which are quoted when used as names."""

from sqlglot import exp

OPERATORS: dict[type[exp.Expr], str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.IntDiv: "//", exp.Mod: "%", exp.EQ: "=",
    exp.NEQ: "!=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=", exp.And: "AND", exp.Or: "OR",
    exp.DPipe: "||", exp.Like: "~~", exp.ILike: "~~*", exp.BitwiseAnd: "&", exp.BitwiseOr: "|",
    exp.BitwiseLeftShift: "<<", exp.BitwiseRightShift: ">>", exp.NullSafeEQ: "IS NOT DISTINCT FROM",
    exp.NullSafeNEQ: "IS DISTINCT FROM", exp.Pow: "**",
}  # fmt: skip
TYPES = {
    exp.DataType.Type.INT: "INTEGER", exp.DataType.Type.BIGINT: "BIGINT", exp.DataType.Type.SMALLINT: "SMALLINT",
    exp.DataType.Type.TINYINT: '"TINYINT"', exp.DataType.Type.INT128: '"HUGEINT"', exp.DataType.Type.BOOLEAN: "BOOLEAN",
    exp.DataType.Type.TEXT: "VARCHAR", exp.DataType.Type.VARCHAR: "VARCHAR", exp.DataType.Type.DOUBLE: '"DOUBLE"',
    exp.DataType.Type.FLOAT: "FLOAT", exp.DataType.Type.DATE: '"DATE"', exp.DataType.Type.TIMESTAMP: "TIMESTAMP",
    exp.DataType.Type.TIMESTAMPNTZ: "TIMESTAMP", exp.DataType.Type.TIME: "TIME", exp.DataType.Type.UUID: '"UUID"',
    exp.DataType.Type.UTINYINT: '"UTINYINT"', exp.DataType.Type.USMALLINT: '"USMALLINT"',
    exp.DataType.Type.UINT: '"UINTEGER"', exp.DataType.Type.UBIGINT: '"UBIGINT"', exp.DataType.Type.JSON: '"JSON"',
    exp.DataType.Type.VARBINARY: '"BLOB"', exp.DataType.Type.TIMESTAMPTZ: '"TIMESTAMP WITH TIME ZONE"',
}  # fmt: skip
FUNCTIONS: dict[type[exp.Expr], str] = {
    exp.GroupConcat: "string_agg", exp.ArgMin: "arg_min", exp.ArgMax: "arg_max", exp.Max: "max", exp.Min: "min",
    exp.PercentileCont: "quantile_cont", exp.PercentileDisc: "quantile_disc", exp.Quantile: "quantile",
    exp.StrPosition: "position", exp.Trim: "trim", exp.Explode: "unnest", exp.Ceil: "ceil", exp.Floor: "floor",
    exp.Substring: "substring", exp.RegexpFullMatch: "regexp_full_match", exp.SimilarTo: "regexp_full_match",
}  # fmt: skip

_WORDS = """
    abort absolute access action add admin after aggregate all also alter always analyse analyze and anti any
    array as asc asof assertion assignment asymmetric at attach attribute authorization backward before begin
    between bigint binary bit boolean both by cache call called cascade cascaded case cast catalog centuries
    century chain char character characteristics check checkpoint class close cluster coalesce collate
    collation column columns comment comments commit committed compression concurrently configuration conflict
    connection constraint constraints content continue conversion copy cost create cross csv cube current
    cursor cycle data database day days deallocate dec decade decades decimal declare default defaults
    deferrable deferred definer delete delimiter delimiters depends desc describe detach dictionary disable
    discard distinct do document domain double drop each else enable encoding encrypted end enum error escape
    event except exclude excluding exclusive execute exists explain export export_state extension extensions
    external extract false family fetch filter first float following for force foreign forward freeze from
    full function functions generated glob global grant granted group grouping grouping_id groups handler
    having header hold hour hours identity if ignore ilike immediate immutable implicit import in include
    including increment index indexes inherit inherits initially inline inner inout input insensitive insert
    install instead int integer intersect interval into invoker is isnull isolation join json key label lambda
    language large last lateral leading leakproof left level like limit listen load local location lock locked
    logged macro map mapping match matched materialized maxvalue merge method microsecond microseconds
    millennia millennium millisecond milliseconds minute minutes minvalue mode month months move name names
    national natural nchar new next no none not nothing notify notnull nowait null nullif nulls numeric object
    of off offset oids old on only operator option options or order ordinality others out outer over overlaps
    overlay overriding owned owner parallel parser partial partition partitioned passing password percent
    persistent pivot pivot_longer pivot_wider placing plans policy position positional pragma preceding
    precision prepare prepared preserve primary prior privileges procedural procedure program publication
    qualify quarter quarters quote range read real reassign recheck recursive ref references referencing
    refresh reindex relative release rename repeatable replace replica reset respect restart restrict
    returning returns revoke right role rollback rollup row rows rule sample savepoint schema schemas scope
    scroll search second seconds secret security select semi sequence sequences serializable server session
    set setof sets share show similar simple skip smallint snapshot some sorted source sql stable standalone
    start statement statistics stdin stdout storage stored strict strip struct subscription substring
    summarize symmetric sysid system table tables tablesample tablespace target temp template temporary text
    then ties time timestamp to trailing transaction transform treat trigger trim true truncate trusted
    try_cast type types unbounded uncommitted unencrypted union unique unknown unlisten unlogged unpack
    unpivot until update use user using vacuum valid validate validator value values varchar variable variadic
    varying verbose version view views virtual volatile week weeks when where whitespace window with within
    without work wrapper write xml xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces
    xmlparse xmlpi xmlroot xmlserialize xmltable year years yes zone
"""

KEYWORDS = frozenset(_WORDS.split())
