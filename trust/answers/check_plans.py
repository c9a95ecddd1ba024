"""Conditions by the hundred: no plan leaves out a file with a row that matches, and no file is deleted unread that has
a row that does not.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePath

from forklake.catalog.planning.scan_planning import DeletePlan, ScanPlan
from forklake.errors import ForklakeError
from trust.answers.evaluation import ERROR, FALSE, NULL, TRUE, Judgement, evaluate
from trust.answers.grammar import Grammar, simplest
from trust.answers.pieces import Piece, shrink
from trust.answers.planned import Plans, plans_only
from trust.answers.shrink_tables import shrink_tables
from trust.answers.spark_rules import RULES, WORDS
from trust.answers.statements import Statement, Verb, forms
from trust.answers.subject import FILE, Subject
from trust.answers.tables import KEY, MadeTable
from trust.answers.tally import Tally

_FILES_LEFT_OUT = "plans that leave files out"
_TOLD = 2
"""How many differences of one table are made small, which takes far longer than to find them."""
_WHOLE = "plans that delete whole files"


@dataclass(slots=True)
class PlanCheck:
    """Judges statements over one table of a subject."""

    subject: Subject
    table: MadeTable
    tally: Tally
    rules: Mapping[str, Sequence[str]] = field(default_factory=lambda: RULES)
    files: dict[int, str | None] = field(init=False)
    """By key, the file of the row."""

    def __post_init__(self) -> None:
        rows = self.subject.stored[self.table.name]
        names = (None if path is None else PurePath(path).name for path in rows[FILE].to_pylist())
        self.files = dict(zip(rows[KEY].to_pylist(), names, strict=True))

    def check(self, rng: random.Random, count: int) -> None:
        """Make and judge so many statements, four for each condition."""
        grammar = self.grammar(rng)
        conditions = [grammar.expression("bool", rng.choice((0, 1, 1, 2, 3))) for _ in range(count // 4)]
        self.judge([statement for each in conditions for statement in self._statements(rng, each)])

    def grammar(self, rng: random.Random) -> Grammar:
        """What conditions are made by."""
        return Grammar(rng, self.rules, WORDS, self.table.columns)

    def evaluate(self, conditions: Sequence[str]) -> list[Judgement]:
        """What the conditions are for each row of the table, all of which are looked at."""
        return evaluate(self.subject.rows(self.table), KEY, conditions)

    def _statements(self, rng: random.Random, condition: Piece) -> Iterator[Statement]:
        verbs: tuple[Verb, ...] = ("read", "delete")
        for verb in verbs:
            for form in rng.sample(forms(verb, self.subject.fast.dialect), 2):
                yield Statement(form, self.table, condition, rng.randrange(1 << 30), self.subject.version)

    def judge(self, statements: Sequence[Statement]) -> None:
        """Judge statements; what is wrong is made small and told, of many the first few."""
        found = self.problems(statements)
        told = found[:_TOLD] if self.tally.shrinks else found
        self.tally.found += [self._told(*each) for each in told]
        self.tally.count("differences beyond the first", len(found) - len(told))

    def problems(self, statements: Sequence[Statement], *, counted: bool = True) -> list[tuple[Statement, str]]:
        distinct = list(dict.fromkeys(statement.condition for statement in statements))
        texts = [condition.text() for condition in distinct]
        judged = dict(zip(distinct, self.evaluate(texts), strict=True))
        found = []
        with plans_only() as plans:
            for statement in statements:
                problem = self._problem(plans, statement, judged[statement.condition], counted)
                if problem:
                    found.append((statement, problem))
        return found

    def fails_on(self, statement: Statement, made: Subject) -> bool:
        """Whether a statement fails on a smaller table, too."""
        [table] = made.tables
        moved = replace(statement, table=table, version=made.version)
        return bool(type(self)(made, table, Tally()).problems([moved], counted=False))

    def _problem(self, plans: Plans, statement: Statement, judged: Judgement, counted: bool) -> str:
        plan = plans.of(lambda: statement.run(self.subject.fast))
        if counted:
            self._count(plan, judged)
        if plan is None:
            return _without_plan(plans.error, judged)
        if isinstance(plan, DeletePlan):
            whole = {PurePath(file.data.path).name for file in plan.whole}
            if whole and judged.refused:
                return f"deletes whole files, where Spark says {judged.refused}"
            spared = {key for key in judged.keys(FALSE, NULL, ERROR) if self.files[key] in whole}
            if spared:
                return f"deletes rows unread that do not match: {KEY} in {sorted(spared)}"
            read = whole | {PurePath(file.data.path).name for file in plan.partial.files}
        else:
            read = {PurePath(file.data.path).name for file in plan.files}
        missed = {key for key in judged.keys(TRUE) if self.files[key] is not None and self.files[key] not in read}
        return f"leaves out files with rows that match: {KEY} in {sorted(missed)}" if missed else ""

    def _count(self, plan: ScanPlan | DeletePlan | None, judged: Judgement) -> None:
        tally = self.tally
        tally.in_bulk += 1
        tally.count("refused by the engine" if judged.refused else "fail for a row" if judged.fails else "answered")
        if plan is None:
            return
        read = len(plan.files) if isinstance(plan, ScanPlan) else len(plan.whole) + len(plan.partial.files)
        tally.count(_FILES_LEFT_OUT, read < len({file for file in self.files.values() if file is not None}))
        tally.count(_WHOLE, isinstance(plan, DeletePlan) and bool(plan.whole))

    def _told(self, statement: Statement, problem: str) -> str:
        if not self.tally.shrinks:
            return f"{problem}\n{statement.text}"

        def fails(condition: Piece) -> bool:
            return bool(self.problems([replace(statement, condition=condition)], counted=False))

        small = replace(statement, condition=shrink(statement.condition, fails, simplest))
        [(_, now)] = self.problems([small], counted=False) or [(small, problem)]
        [table] = shrink_tables(
            self.subject.fast.spark, [self.table], small.condition.text(), partial(self.fails_on, small)
        )
        script = ";\n".join([*table.script(), small.text])
        return f"{now}\n{script};\n-- made smaller from: {statement.text}"


def _without_plan(error: Exception | None, judged: Judgement) -> str:
    """A statement that did not come to a plan is refused by us, and must be refused by Spark, too."""
    if error is None:
        return "was answered without a plan"
    if not isinstance(error, ForklakeError):
        return f"raised {type(error).__name__}: {error}"
    return "" if judged.refused else f"was refused: {type(error).__name__}: {error}"
