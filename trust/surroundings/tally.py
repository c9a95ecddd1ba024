"""Counting what was tried of one fault, and noting what was wrong."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from forklake.errors import ForklakeError
from trust.trial import Line

Kind = type[ForklakeError] | tuple[type[ForklakeError], ...]

_NOT_TOLD = "nobody was told of it"


@dataclass(slots=True)
class Tally:
    """One kind of fault."""

    what: str
    at_least: int
    outcome: str
    hint: str = ""
    """What is needed to see it again."""
    tried: int = 0
    found: list[str] = field(default_factory=list)

    def wrong(self, sentence: str) -> None:
        self.found.append(f"{sentence} ({self.hint})" if self.hint else sentence)

    def refused(self, case: str, kind: Kind, words: Sequence[str], act: Callable[[], object]) -> None:
        """The action is refused with an error of this kind, in one message with these words in it."""
        self.tried += 1
        try:
            act()
        except kind as error:
            missing = [word for word in words if word not in str(error)]
            if missing:
                self.wrong(f"{case}: '{error}' does not say {missing}")
        except Exception as error:
            self.wrong(f"{case}: {type(error).__name__} instead of {kind}: {error}")
        else:
            self.wrong(f"{case}: {_NOT_TOLD}")

    def refused_or_right(self, case: str, kind: Kind, words: Sequence[str], act: Callable[[], object]) -> None:
        """The same, where the action may also find that all is well."""
        before = len(self.found)
        self.refused(case, kind, words, act)
        self.found[before:] = [wrong for wrong in self.found[before:] if _NOT_TOLD not in wrong]

    def works(self, case: str, act: Callable[[], object]) -> None:
        """The action is carried out."""
        try:
            act()
        except Exception as error:
            self.wrong(f"{case}: {type(error).__name__}: {error}")

    def take(self, case: str, wrongs: Sequence[str]) -> None:
        for each in wrongs:
            self.wrong(f"{case}: {each}")

    def line(self) -> Line:
        return Line(self.what, self.tried, self.at_least, self.outcome, tuple(self.found))
