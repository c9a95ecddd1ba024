"""What may come of a statement, and what may not."""

import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Literal, Protocol

from pyspark.sql import SparkSession

from forklake.errors import ForklakeError
from forklake.spark.session.provider import SparkProvider
from trust.fuzz.guard import Escaped

SECONDS = 5.0
"""A statement that computes for longer hangs. What waits without computing is noticed from outside."""

Kind = Literal["answer", "error", "spark"]


class SparkNeeded(Exception):
    """The statement was understood and would be Spark's from here on."""


class NoSpark(SparkProvider):
    """What a session has for a Spark when it must do without."""

    def get(self) -> SparkSession:
        raise SparkNeeded


class Hung(BaseException):
    """Time is up. Nothing that catches errors catches this."""


class Subject(Protocol):
    """What runs statements."""

    def run(self, text: str) -> None:
        """Run it and read all of its answer; raises whatever the product raises."""
        ...

    def state(self) -> object:
        """What a statement that failed must not have changed."""
        ...

    def may_stay(self, text: str) -> bool:
        """Whether part of it may have been done although it failed: it is several, or says that it is."""
        ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a statement did, and what was wrong with that; where it broke, so that the same is told once."""

    kind: Kind
    problem: str = ""
    where: str = ""


def judge(subject: Subject, text: str, before: object, seconds: float = SECONDS) -> tuple[Verdict, object]:
    """Run a statement in the state that was before; the verdict, and the state that is now."""
    verdict = _run(subject, text, seconds)
    after = subject.state()
    if verdict.kind != "answer" and not verdict.problem and after != before and not subject.may_stay(text):
        verdict = Verdict(verdict.kind, "it failed and yet changed the lake", "changed")
    return verdict, after


def _run(subject: Subject, text: str, seconds: float) -> Verdict:
    try:
        with time_limit(seconds):
            subject.run(text)
    except ForklakeError as error:
        return Verdict("error") if str(error).strip() else Verdict("error", "an error without a word", place_of(error))
    except SparkNeeded:
        return Verdict("spark")
    except Hung:
        return Verdict("error", f"it runs for more than {seconds} s", "hung")
    except (Exception, Escaped) as error:
        return Verdict("error", f"{type(error).__name__}: {str(error)[:200]}", place_of(error))
    return Verdict("answer")


def place_of(error: BaseException) -> str:
    """The last line of the product on the way to an error: the same fault is at the same place."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "forklake" in frame.filename and "/trust/" not in frame.filename] or frames
    return f"{type(error).__name__} at {ours[-1].filename.rpartition('/')[2]}:{ours[-1].lineno}" if ours else ""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise Hung in whatever runs longer. Only in a main thread, and only between two steps of Python."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise Hung

    # Time of this process alone: how busy the machine is does not count.
    old = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, old)
