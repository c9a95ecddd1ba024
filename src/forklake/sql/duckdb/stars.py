"""Expands `*` with modifiers, COLUMNS and stars over USING to column lists: Spark has only `* EXCEPT`."""

import re

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.type_hints import SOURCES

_MODIFIERS = ("replace", "rename")


def visible_columns(select: exp.Select) -> list[tuple[str | None, str]] | None:
    """The columns of `*` with their qualifier, which is None for merged and unambiguous ones; None if unknown."""
    sources = select.meta.get(SOURCES)
    if sources is None:
        return None
    merged = _join_columns(select)
    found: list[tuple[str | None, str]] = []
    for source, columns in sources:
        for column in columns:
            name = column.lower()
            if name not in merged:
                found.append((source or None if len(sources) > 1 else None, column))
            elif all(name != other.lower() for _, other in found):
                found.append((None, column))
    return found


def _join_columns(select: exp.Select) -> set[str]:
    """The columns of USING and NATURAL joins, which are merged into one."""
    joins = select.args.get("joins") or []
    named = {column.name.lower() for join in joins for column in join.args.get("using") or []}
    if not any(str(join.args.get("method") or "").upper() == "NATURAL" for join in joins):
        return named
    seen = [{column.lower() for column in columns} for _, columns in select.meta.get(SOURCES) or []]
    common = {name for place, names in enumerate(seen) for other in seen[:place] for name in names & other}
    return named | common


def expand_stars(select: exp.Select) -> None:
    """Expand the stars that Spark cannot parse, or would put in another order."""
    parts: list[exp.Expr] = []
    for part in select.expressions:
        parts += _expand_projection(part, select)
    select.set("expressions", parts)


def _expand_projection(part: exp.Expr, select: exp.Select) -> list[exp.Expr]:
    star = _star_of(part)
    if star is not None:
        changed = any(star.args.get(name) for name in _MODIFIERS)
        if not changed and not (_join_columns(select) and select.meta.get(SOURCES)):
            return [part]
        source = part.table.lower() if isinstance(part, exp.Column) else None
        return _apply_star_modifiers(star, _star_columns(select, source))
    chosen = next((node for node in part.find_all(exp.Columns, exp.Like, exp.ILike) if _is_column_choice(node)), None)
    if chosen is None or chosen.parent_select is not select:
        return [part]
    return [_substitute_column(part, chosen, source, name) for source, name in _matching_columns(chosen, select)]


def _star_of(part: exp.Expr) -> exp.Star | None:
    if isinstance(part, exp.Star):
        return part
    return part.this if isinstance(part, exp.Column) and isinstance(part.this, exp.Star) else None


def _is_column_choice(node: exp.Expr) -> bool:
    return isinstance(node, exp.Columns) or isinstance(node.this, exp.Star)


def _star_columns(select: exp.Select, source: str | None) -> list[tuple[str | None, str]]:
    if source is not None:
        for name, columns in select.meta.get(SOURCES) or []:
            if name.lower() == source:
                return [(name, column) for column in columns]
    found = visible_columns(select)
    if found is None or source is not None:
        raise Untranslatable("* REPLACE, * RENAME and COLUMNS need known columns: list them, or use * EXCLUDE.")
    return found


def _apply_star_modifiers(star: exp.Star, columns: list[tuple[str | None, str]]) -> list[exp.Expr]:
    excluded = {part.name.lower() for part in star.args.get("except_") or []}
    replaced = {part.alias.lower(): part for part in star.args.get("replace") or []}
    renamed = {part.this.name.lower(): part.alias for part in star.args.get("rename") or []}
    result: list[exp.Expr] = []
    for source, name in columns:
        key = name.lower()
        if key in excluded:
            continue
        value = replaced[key].this.copy() if key in replaced else _quoted_column(source, name)
        if key in renamed or key in replaced:
            value = exp.alias_(value, renamed.get(key, name), quoted=True)
        result.append(value)
    return result


def _quoted_column(source: str | None, name: str) -> exp.Expr:
    return exp.column(exp.to_identifier(name, quoted=True), table=source)


def _matching_columns(node: exp.Expr, select: exp.Select) -> list[tuple[str | None, str]]:
    columns = _star_columns(select, None)
    if isinstance(node, exp.Like | exp.ILike):
        return [(source, name) for source, name in columns if _name_matches(node, name)]
    match node.this:
        case exp.Star():
            excluded = {part.name.lower() for part in node.this.args.get("except_") or []}
            return [(source, name) for source, name in columns if name.lower() not in excluded]
        case exp.Literal():
            return [(source, name) for source, name in columns if re.search(node.this.name, name)]
        case exp.Array():
            wanted = {part.name.lower() for part in node.this.expressions}
            return [(source, name) for source, name in columns if name.lower() in wanted]
        case exp.Lambda():
            return [(source, name) for source, name in columns if _name_matches(node.this.this, name)]
    raise Untranslatable("COLUMNS takes a regular expression, a list of names, * or a lambda with LIKE.")


def _name_matches(condition: exp.Expr, name: str) -> bool:
    """Evaluate a condition on a column name at translation."""
    match condition:
        case exp.Paren():
            return _name_matches(condition.this, name)
        case exp.Not():
            return not _name_matches(condition.this, name)
        case exp.And():
            return _name_matches(condition.left, name) and _name_matches(condition.right, name)
        case exp.Or():
            return _name_matches(condition.left, name) or _name_matches(condition.right, name)
        case exp.Like() | exp.ILike() if isinstance(condition.expression, exp.Literal):
            pattern = re.escape(condition.expression.name).replace("%", ".*").replace("_", ".")
            flags = re.DOTALL | (re.IGNORECASE if isinstance(condition, exp.ILike) else 0)
            return (re.fullmatch(pattern, name, flags) is not None) != bool(condition.args.get("negate"))
        case exp.RegexpLike() if isinstance(condition.expression, exp.Literal):
            return re.search(condition.expression.name, name) is not None
        case exp.StartsWith() if isinstance(condition.expression, exp.Literal):
            return name.startswith(condition.expression.name)
        case exp.EQ() if isinstance(condition.expression, exp.Literal):
            return name == condition.expression.name
    raise Untranslatable("The condition of COLUMNS has to be of LIKE, =, starts_with and regexp_matches.")


def _substitute_column(part: exp.Expr, chosen: exp.Expr, source: str | None, name: str) -> exp.Expr:
    """A projection with COLUMNS replaced by one column, named after it unless the projection has an alias."""
    inner = part.this if isinstance(part, exp.Alias) else part
    path = _path_to_node(inner, chosen)
    copied = inner.copy()
    if not path:
        copied = _quoted_column(source, name)
    else:
        place = copied
        for key, index in path:
            place = place.args[key] if index is None else place.args[key][index]
        place.replace(_quoted_column(source, name))
    return exp.alias_(copied, _result_alias(part, chosen, name), quoted=True)


def _path_to_node(root: exp.Expr, node: exp.Expr) -> list[tuple[str, int | None]]:
    steps: list[tuple[str, int | None]] = []
    while node is not root and node.parent is not None:
        steps.insert(0, (str(node.arg_key), node.index))
        node = node.parent
    return steps


def _result_alias(part: exp.Expr, chosen: exp.Expr, name: str) -> str:
    if not isinstance(part, exp.Alias):
        return name
    if isinstance(chosen, exp.Columns) and isinstance(chosen.this, exp.Literal) and "\\" in part.alias:
        found = re.search(chosen.this.name, name)
        return re.sub(r"\\(\d)", lambda match: found[int(match[1])] if found else "", part.alias)
    return part.alias
